package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.LimitKind;
import dev.plinth.ratelimit.policy.RowTextReader;
import java.util.ArrayList;
import java.util.List;

/**
 * A ticket: what was granted, and of which budgets it was taken.
 *
 * @param at when it was taken
 * @param until it can be settled
 */
record TicketRow(long granted, long at, long until, List<Part> parts) implements BudgetRow {
  /**
   * @param version of the rule when it was taken
   * @param charged a shadow may have been charged with less than was granted
   * @param ttl of the lease, in microseconds; 0 if it was none
   */
  record Part(String key, Limit limit, long version, long charged, long ttl) {
    private static final int BYTES = 160;
  }

  @Override
  public int bytes() {
    int bytes = 0;
    for (Part part : parts) {
      bytes += Part.BYTES + 2 * part.key.length();
    }
    return bytes;
  }

  @Override
  public boolean isExpired(long now) {
    return now >= until;
  }

  @Override
  public String text() {
    StringBuilder text = new StringBuilder();
    RowTextReader.numbers(text.append("v1"), granted, at, until);
    for (Part part : parts) {
      RowTextReader.numbers(text.append('\n'), part.version, part.charged, part.ttl);
      text.append(' ').append(part.limit.kind().letter()).append(' ').append(part.limit.text());
      text.append('\n').append(part.key);
    }
    return text.toString();
  }

  static TicketRow parse(String text) {
    String[] lines = text.split("\n", -1);
    RowTextReader head = RowTextReader.versioned(lines[0]);
    long granted = head.number();
    long at = head.number();
    long until = head.number();
    head.end();
    if (lines.length % 2 == 0) {
      throw new IllegalArgumentException(lines.length + " lines (expected: an odd number)");
    }
    List<Part> parts = new ArrayList<>();
    for (int i = 1; i < lines.length; i += 2) {
      RowTextReader line = RowTextReader.of(lines[i]);
      long version = line.number();
      long charged = line.number();
      long ttl = line.number();
      parts.add(
          new Part(
              lines[i + 1], LimitKind.ofLetter(line.word()).parse(line), version, charged, ttl));
      line.end();
    }
    return new TicketRow(granted, at, until, parts);
  }
}
