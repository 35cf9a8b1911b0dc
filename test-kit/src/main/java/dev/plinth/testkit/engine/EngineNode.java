package dev.plinth.testkit.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/**
 * One running server of an engine. Its address and data stay the same however often it is killed
 * and restarted.
 */
public final class EngineNode {
  private static final Duration START_LIMIT = Duration.ofMinutes(2);

  /**
   * Asks a server over its own protocol whether it serves; a driver would tie the kit to a version
   * of it.
   */
  interface Probe {
    boolean answers(InetSocketAddress address) throws IOException;
  }

  private enum State {
    RUNNING,
    PAUSED,
    DEAD
  }

  private final InetSocketAddress address;
  private final Probe probe;
  private final ServerController serverController;
  private State state = State.DEAD;

  EngineNode(InetSocketAddress address, Probe probe, ServerController serverController) {
    this.address = address;
    this.probe = probe;
    this.serverController = serverController;
  }

  public InetSocketAddress address() {
    return address;
  }

  public String hostPort() {
    return address.getHostString() + ":" + address.getPort();
  }

  /**
   * False where the engine was given by its address: then kill, pause and restart skip the test.
   */
  public boolean controllable() {
    return serverController.controllable();
  }

  /** Of the server's process, if it runs and is one of this machine. */
  public OptionalLong pid() {
    return serverController.pid();
  }

  /** Kills the server with SIGKILL and waits until it is gone. */
  public synchronized void kill() {
    serverController.kill();
    state = State.DEAD;
  }

  /** Stops the server with SIGSTOP: connections stay open, nothing answers. */
  public synchronized void pause() {
    if (state == State.DEAD) {
      throw new IllegalStateException(hostPort() + " is dead (expected: running)");
    }
    serverController.pause();
    state = State.PAUSED;
  }

  public synchronized void resume() {
    if (state == State.PAUSED) {
      serverController.resume();
      state = State.RUNNING;
    }
  }

  /**
   * Starts the server again on its data and address, after a kill if it still runs, and waits until
   * it answers. A cluster's node answers only while a majority runs; {@link SharedEngine#restart}
   * brings back all at once.
   */
  public void restart() {
    kill();
    startAll(List.of(this));
  }

  /**
   * Starts all before waiting for any: the members of a cluster need each other to become ready.
   */
  static void startAll(List<EngineNode> nodes) {
    nodes.forEach(EngineNode::start);
    nodes.forEach(EngineNode::awaitAnswer);
  }

  /** Brings back what a test left dead or paused. */
  static void restoreAll(List<EngineNode> nodes) {
    List<EngineNode> down = nodes.stream().filter(engineNode -> !engineNode.running()).toList();
    down.forEach(EngineNode::bringBack);
    down.forEach(EngineNode::awaitAnswer);
  }

  private synchronized boolean running() {
    return state == State.RUNNING && serverController.alive();
  }

  private synchronized void bringBack() {
    resume();
    if (!running()) {
      start();
    }
  }

  private synchronized void start() {
    serverController.start();
    state = State.RUNNING;
  }

  private void awaitAnswer() {
    boolean decided = Poll.until(START_LIMIT, () -> answers() || !serverController.alive());
    if (!decided || !serverController.alive()) {
      String what = decided ? " ended while starting" : " did not answer within " + START_LIMIT;
      throw new StartFailedException(hostPort() + what, serverController.logTail());
    }
  }

  boolean answers() {
    try {
      return probe.answers(address);
    } catch (IOException e) {
      return false;
    }
  }

  void close() {
    serverController.close();
  }
}
