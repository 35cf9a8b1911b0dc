/** Clients, faults and checks: what is done to a simulated cluster, and how it is judged. */
package dev.plinth.simulation.workload;
