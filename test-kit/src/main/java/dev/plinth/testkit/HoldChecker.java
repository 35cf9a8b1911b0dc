package dev.plinth.testkit;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Judges who held what when. A client surely held a key from when its grant returned to when it
 * asked for the release, so no two of these stretches may overlap; and a grant that returned before
 * another was asked for, of whatever key of the namespace, has the lower token. A grant whose
 * answer came only when its time was over has no such stretch: its token counts, nothing else.
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
    Map<Long, Hold> tokens = new HashMap<>();
    for (Hold hold : holds) {
      Hold other = tokens.put(hold.token, hold);
      require(other == null, "one token twice", other, hold);
    }
    List<Hold> byGrant = holds.stream().sorted(Comparator.comparingLong(Hold::granted)).toList();
    byGrant.stream()
        .collect(Collectors.groupingBy(Hold::key))
        .values()
        .forEach(HoldChecker::checkApart);
    checkTokens(byGrant);
  }

  private static void checkApart(List<Hold> byGrant) {
    Hold longest = null;
    for (Hold hold : byGrant) {
      if (hold.granted >= hold.releaseAsked) {
        continue;
      }
      require(
          longest == null || longest.releaseAsked <= hold.granted,
          "two holders at once",
          longest,
          hold);
      longest = longest == null || hold.releaseAsked > longest.releaseAsked ? hold : longest;
    }
  }

  private static void checkTokens(List<Hold> byGrant) {
    Hold highest = null;
    int before = 0;
    for (Hold hold : byGrant.stream().sorted(Comparator.comparingLong(Hold::asked)).toList()) {
      for (; byGrant.get(before).granted < hold.asked; before++) {
        Hold earlier = byGrant.get(before);
        highest = highest == null || earlier.token > highest.token ? earlier : highest;
      }
      require(
          highest == null || highest.token < hold.token,
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
