package dev.plinth.testkit.engine;

import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;

/**
 * The one search for an engine in a test run. It ends with running nodes or with the reasons why no
 * source had any; a missing engine is looked for once, not by every test class.
 */
final class EngineLookup implements AutoCloseable {
  private volatile List<EngineNode> nodes;
  private final boolean ci;
  private final String missing;

  private EngineLookup(List<EngineNode> nodes, boolean ci, String missing) {
    this.nodes = nodes;
    this.ci = ci;
    this.missing = missing;
  }

  static EngineLookup over(String engine, boolean ci, List<EngineSource> sources) {
    StringBuilder missing = new StringBuilder("no ").append(engine).append(" for the tests:");
    for (EngineSource engineSource : sources) {
      try {
        return new EngineLookup(engineSource.start().nodes(), ci, "");
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while looking for " + engine, e);
      } catch (Exception e) {
        missing.append("\n  ").append(engineSource.name()).append(": ").append(reason(e));
      }
    }
    if (!ci) {
      System.err.println(missing + "\n  so its tests are skipped; with CI=true they would fail");
    }
    return new EngineLookup(List.of(), ci, missing.toString());
  }

  /** With its causes: a container's failure, say, tells nothing by itself. */
  private static String reason(Exception e) {
    String reason = e instanceof UnavailableException ? e.getMessage() : e.toString();
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      reason += "; caused by " + cause;
    }
    return reason;
  }

  /**
   * The running nodes; without any this fails the caller's test class on CI and skips it elsewhere.
   */
  List<EngineNode> nodes() {
    if (!nodes.isEmpty()) {
      return nodes;
    }
    if (ci) {
      throw new AssertionError(missing);
    }
    return Assumptions.abort(missing);
  }

  /** Puts what another search found in the place of these nodes, which are closed first. */
  List<EngineNode> replace(Supplier<EngineLookup> again) {
    close();
    nodes = List.of(); // closed once, even if nothing is found
    nodes = again.get().nodes();
    return nodes;
  }

  @Override
  public void close() {
    nodes.forEach(EngineNode::close);
  }
}
