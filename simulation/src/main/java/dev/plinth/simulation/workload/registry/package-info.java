/**
 * Members of groups in a run: sessions, beats, registrations, watches, and the judgement of them.
 */
package dev.plinth.simulation.workload.registry;
