package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.RowTextReader;
import java.util.Arrays;
import java.util.List;

/**
 * A slot that is held.
 *
 * @param until it runs out
 * @param budgets in which it counts, by their keys
 */
record SlotRow(long token, long until, List<String> budgets) implements BudgetRow {
  SlotRow until(long time) {
    return new SlotRow(token, time, budgets);
  }

  @Override
  public boolean isExpired(long now) {
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

  static SlotRow parse(String text) {
    String[] lines = text.split("\n", -1);
    RowTextReader head = RowTextReader.versioned(lines[0]);
    long token = head.number();
    long until = head.number();
    head.end();
    return new SlotRow(token, until, List.of(Arrays.copyOfRange(lines, 1, lines.length)));
  }
}
