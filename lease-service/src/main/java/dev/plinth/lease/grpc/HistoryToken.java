package dev.plinth.lease.grpc;

import dev.plinth.lease.core.HistorySnapshot.Position;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a page of the history ended: opaque to callers, refused where it is not one of ours. */
final class HistoryToken {
  private static final int MAX = 32;
  private static final Pattern FORM = Pattern.compile("h1\\.(\\d{1,18})\\.(\\d{1,4})");

  private HistoryToken() {}

  static String text(Position position) {
    return "h1." + position.row() + "." + position.line();
  }

  static Position parse(String text) {
    if (text.isEmpty()) {
      return Position.START;
    }
    Matcher parts = FORM.matcher(FieldChecks.name("page_token", text, MAX));
    if (!parts.matches()) {
      throw Failure.Invalid.field(
          "page_token", '"' + text + '"', "one from a page before, or none");
    }
    return new Position(Long.parseLong(parts.group(1)), Integer.parseInt(parts.group(2)));
  }
}
