package dev.plinth.ratelimit.core;

import java.util.Arrays;
import java.util.List;

/**
 * A slot that is held.
 *
 * @param until it runs out
 * @param budgets in which it takes a place, by their keys
 */
record Place(long token, long until, List<String> budgets) implements Kept {
  Place until(long time) {
    return new Place(token, time, budgets);
  }

  @Override
  public boolean isOver(long now) {
    return now >= until;
  }

  @Override
  public int bytes() {
    int bytes = 0;
    for (String budget : budgets) {
      bytes += 48 + 2 * budget.length();
    }
    return bytes;
  }

  @Override
  public String text() {
    return "v1 " + token + " " + until + "\n" + String.join("\n", budgets);
  }

  static Place parse(String text) {
    String[] lines = text.split("\n", -1);
    Lines head = Lines.versioned(lines[0]);
    long token = head.number();
    long until = head.number();
    head.end();
    return new Place(token, until, List.of(Arrays.copyOfRange(lines, 1, lines.length)));
  }
}
