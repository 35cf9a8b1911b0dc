/** Whole clusters in one thread, on virtual time, from a seed. */
package dev.plinth.simulation;
