/** Real clients in a run: leases, leadership, and what they believe of them. */
package dev.plinth.simulation.workload.client;
