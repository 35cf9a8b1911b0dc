package dev.plinth.testkit.engine;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * A server that somebody else runs: tests may use it, and those that would signal it are skipped.
 */
final class GivenServer implements ServerController {
  private final String variable;

  private GivenServer(String variable) {
    this.variable = variable;
  }

  /** The servers whose addresses a variable holds; no other source is tried when that is set. */
  static EngineSource source(
      TestEnvironment testEnvironment, String variable, int count, EngineNode.Probe probe) {
    return new EngineSource(
        variable + "=" + testEnvironment.env().get(variable),
        () -> {
          List<InetSocketAddress> addresses = testEnvironment.addresses(variable);
          if (addresses.size() < count) {
            throw new UnavailableException("too few addresses (expected: " + count + ")");
          }
          List<EngineNode> nodes =
              addresses.stream()
                  .map(a -> new EngineNode(a, probe, new GivenServer(variable)))
                  .toList();
          for (EngineNode engineNode : nodes) {
            if (!Poll.until(Poll.SHORT, engineNode::answers)) {
              throw new UnavailableException(engineNode.hostPort() + " does not answer");
            }
          }
          EngineNode.startAll(nodes);
          return nodes;
        });
  }

  @Override
  public void start() {}

  @Override
  public void kill() {
    refuse();
  }

  @Override
  public void pause() {
    refuse();
  }

  @Override
  public void resume() {
    refuse();
  }

  private void refuse() {
    Assumptions.abort("the engine was given by " + variable + ": a test cannot signal it");
  }

  @Override
  public boolean alive() {
    return true;
  }

  @Override
  public boolean controllable() {
    return false;
  }

  @Override
  public String logTail() {
    return "";
  }

  @Override
  public void close() {}
}
