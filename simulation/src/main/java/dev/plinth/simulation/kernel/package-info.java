/** Virtual time, one queue of events, and machines whose threads and clocks live on it. */
package dev.plinth.simulation.kernel;
