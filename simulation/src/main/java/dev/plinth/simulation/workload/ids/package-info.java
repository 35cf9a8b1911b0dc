/**
 * Identifiers in a run: taken over the API and by real clients, each checked against all others.
 */
package dev.plinth.simulation.workload.ids;
