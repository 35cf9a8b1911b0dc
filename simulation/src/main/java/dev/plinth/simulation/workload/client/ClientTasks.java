package dev.plinth.simulation.workload.client;

/** What the threads of a client do in one life of its process. */
public interface ClientTasks {
  void start(ClientLife life);
}
