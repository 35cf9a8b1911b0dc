package dev.plinth.testkit.engine;

import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** Programs of this machine that a test runs, and where it may keep files between runs. */
public final class TestPrograms {
  private TestPrograms() {}

  /**
   * A program on the {@code PATH}. Where it is not, the test is skipped with a printed reason, or
   * fails when {@code CI=true}.
   */
  public static Path require(String program) {
    return require(program, TestEnvironment.current());
  }

  static Path require(String program, TestEnvironment environment) {
    try {
      return environment.onPath(program);
    } catch (UnavailableException e) {
      if (environment.ci()) {
        throw new AssertionError(e.getMessage(), e);
      }
      System.err.println(e.getMessage() + "\n  so its test is skipped; with CI=true it would fail");
      return Assumptions.abort(e.getMessage());
    }
  }

  /** A folder of this name beside the fetched engines. */
  public static Path cache(String name) {
    return TestEnvironment.current().cache().resolve(name);
  }
}
