/** Real nodes on simulated machines, and a store for them that has no engine. */
package dev.plinth.simulation.cluster;
