package dev.plinth.testkit;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges who held what when. A client surely held a key from when its grant returned to when it
 * asked for the release, so no two of these stretches may overlap; and a grant that returned before
 * another was asked for has the lower token.
 */
public final class HoldChecker {
  /**
   * One grant as its client saw it, all times on one clock; not yet released is {@code
   * Long.MAX_VALUE}.
   */
  public record Hold(
      String key, String owner, long token, long asked, long granted, long releaseAsked) {}

  private HoldChecker() {}

  /** Fails with the two holds that cannot both be. */
  public static void check(List<Hold> holds) {
    Map<String, Hold> tokens = new HashMap<>();
    for (Hold hold : holds) {
      Hold other = tokens.put(hold.key + "#" + hold.token, hold);
      require(other == null, "one token twice", other, hold);
    }
    holds.stream()
        .map(Hold::key)
        .distinct()
        .forEach(key -> checkKey(holds.stream().filter(h -> h.key.equals(key)).toList()));
  }

  private static void checkKey(List<Hold> holds) {
    List<Hold> byGrant = holds.stream().sorted(Comparator.comparingLong(Hold::granted)).toList();
    Hold longest = null;
    Hold highest = null;
    for (Hold hold : byGrant) {
      require(
          longest == null || longest.releaseAsked <= hold.granted,
          "two holders at once",
          longest,
          hold);
      longest = longest == null || hold.releaseAsked > longest.releaseAsked ? hold : longest;
    }
    for (Hold hold : holds.stream().sorted(Comparator.comparingLong(Hold::asked)).toList()) {
      for (Hold earlier : byGrant) {
        if (earlier.granted >= hold.asked) {
          break;
        }
        highest = highest == null || earlier.token > highest.token ? earlier : highest;
      }
      require(
          highest == null || highest == hold || highest.token < hold.token,
          "a token that did not rise",
          highest,
          hold);
    }
  }

  private static void require(boolean holds, String what, Hold one, Hold other) {
    if (!holds) {
      throw new AssertionError(what + ":\n  " + one + "\n  " + other);
    }
  }
}
