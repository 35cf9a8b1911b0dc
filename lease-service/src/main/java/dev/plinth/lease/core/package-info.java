/** Who holds what, who waits, and until when: decided on memory, one command after the other. */
package dev.plinth.lease.core;
