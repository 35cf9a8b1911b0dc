package dev.plinth.simulation.workload;

/** Makes the clients of a run; what it draws comes from the seed. */
interface WorkloadFactory {
  Workload on(SimulatedPlatform platform);
}
