package dev.plinth.testkit.lease;

import java.util.List;

/**
 * What a client was told.
 *
 * @param done whether the call had its effect: granted, released, renewed, transferred
 * @param tokens of what was granted or transferred, in the order of the items
 */
public record LogAnswer(boolean done, List<Long> tokens) {
  public static LogAnswer succeeded(Long... tokens) {
    return new LogAnswer(true, List.of(tokens));
  }

  public static LogAnswer refused() {
    return new LogAnswer(false, List.of());
  }
}
