package dev.plinth.shards;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.util.Map;
import java.util.Optional;

/** The check of a change that names the version it was made for. */
public final class ExpectedVersion {
  private ExpectedVersion() {}

  /**
   * @param what has the version, such as {@code policy}
   * @param expected empty for a change that goes with any
   * @throws Failure.Conflict if it is another one
   */
  public static void check(String what, Optional<Long> expected, long current) {
    if (expected.isPresent() && expected.get() != current) {
      throw new Failure.Conflict(
          ErrorReason.ERROR_REASON_REVISION_CONFLICT,
          "%s has version %d (expected: %d)".formatted(what, current, expected.get()),
          Map.of("current", String.valueOf(current), "expected", expected.get().toString()));
    }
  }
}
