/** Limits in a run: real pipelines over a model of Redis, and the bound of what they admit. */
package dev.plinth.simulation.workload.limits;
