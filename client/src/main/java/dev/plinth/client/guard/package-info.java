/** Checks of a fencing token where it counts: at the resource, in one step with the write. */
package dev.plinth.client.guard;
