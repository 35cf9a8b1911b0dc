package dev.plinth.testkit.engine;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * A server that somebody else runs: tests may use it, and those that would signal it are skipped.
 */
final class GivenServer implements Server {
  private final String variable;

  private GivenServer(String variable) {
    this.variable = variable;
  }

  /** The servers whose addresses a variable holds; no other source is tried when that is set. */
  static Source source(Machine machine, String variable, int count, Node.Probe probe) {
    return new Source(
        variable + "=" + machine.env().get(variable),
        () -> {
          List<InetSocketAddress> addresses = machine.addresses(variable);
          if (addresses.size() < count) {
            throw new UnavailableException("too few addresses (expected: " + count + ")");
          }
          List<Node> nodes =
              addresses.stream().map(a -> new Node(a, probe, new GivenServer(variable))).toList();
          for (Node node : nodes) {
            if (!Poll.until(Poll.SHORT, node::answers)) {
              throw new UnavailableException(node.hostPort() + " does not answer");
            }
          }
          Node.startAll(nodes);
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
