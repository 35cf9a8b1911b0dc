/** The registry: who is there, in which state, and why. */
package dev.plinth.registry;
