package dev.plinth.testkit.engine;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * An engine that the test classes of a JVM share: started for the first that registers it, stopped
 * after the last. Whatever a test kills or pauses runs again before the next test. Since classes
 * share the data, a test takes names of its own.
 */
public final class SharedEngine
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
  private static final Namespace STORE = Namespace.create(SharedEngine.class);

  private final String name;
  private final boolean ci;
  private final Supplier<List<EngineSource>> sources;
  private volatile List<EngineNode> nodes = List.of();
  private volatile EngineLookup engineLookup;

  SharedEngine(String name, boolean ci, Supplier<List<EngineSource>> sources) {
    this.name = name;
    this.ci = ci;
    this.sources = sources;
  }

  /** Every node as {@code host:port}, joined by commas. */
  public String hostPorts() {
    return nodes().stream().map(EngineNode::hostPort).collect(Collectors.joining(","));
  }

  /** The address of the first node. */
  public InetSocketAddress address() {
    return node(0).address();
  }

  public List<EngineNode> nodes() {
    if (nodes.isEmpty()) {
      throw new IllegalStateException(
          name + ": not started (expected: a @RegisterExtension field)");
    }
    return nodes;
  }

  public EngineNode node(int index) {
    return nodes().get(index);
  }

  /**
   * False where the engine was given by its address: then kill, pause and restart skip the test.
   */
  public boolean controllable() {
    return nodes().stream().allMatch(EngineNode::controllable);
  }

  /** Kills every node with SIGKILL and waits until they are gone. */
  public void kill() {
    nodes().forEach(EngineNode::kill);
  }

  /** Stops every node with SIGSTOP: connections stay open, nothing answers. */
  public void pause() {
    nodes().forEach(EngineNode::pause);
  }

  public void resume() {
    nodes().forEach(EngineNode::resume);
  }

  /** Starts every node again on its data and address, and waits until all answer. */
  public void restart() {
    nodes().forEach(EngineNode::kill);
    EngineNode.startAll(nodes());
  }

  /**
   * Ends every node and starts others without data, at other addresses. An engine that was given by
   * its address stays as it is.
   */
  public void restartEmpty() {
    if (controllable()) {
      nodes = engineLookup.replace(this::search);
    }
  }

  private EngineLookup search() {
    return EngineLookup.over(name, ci, sources.get());
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    engineLookup =
        context
            .getRoot()
            .getStore(STORE)
            .getOrComputeIfAbsent(name, key -> search(), EngineLookup.class);
    nodes = engineLookup.nodes();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    beforeAll(context); // the only callback of the two that a non-static field gets
  }

  @Override
  public void afterEach(ExtensionContext context) {
    EngineNode.restoreAll(nodes);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    EngineNode.restoreAll(nodes);
  }
}
