package dev.plinth.testkit.engine;

import java.util.OptionalLong;

/** How a node's server is run and signalled: a process on a leash, a container, or not at all. */
interface ServerController {
  /** Starts the server, for the first time or on the data of the last time, without waiting. */
  void start();

  /** Kills the server if it runs, and returns once it is gone and its ports are free. */
  void kill();

  void pause();

  void resume();

  boolean alive();

  boolean controllable();

  /** Of the server's process, if it runs and is one of this machine. */
  default OptionalLong pid() {
    return OptionalLong.empty();
  }

  /** The last lines of what the server printed. */
  String logTail();

  /** Kills the server and deletes its data. */
  void close();
}
