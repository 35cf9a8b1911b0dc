package dev.plinth.lease.grpc;

import dev.plinth.lease.core.LeasePage.Position;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a page of leases ended: the last token and key on it, opaque to callers. */
final class LeasePageToken {
  private static final int MAX = LeaseWire.MAX_KEY + 32;
  private static final Pattern FORM = Pattern.compile("l1\\.(\\d{1,19})\\.(.+)");

  private LeasePageToken() {}

  static String text(Position position) {
    return "l1." + position.token() + "." + position.key();
  }

  static Position parse(String text) {
    if (text.isEmpty()) {
      return Position.START;
    }
    Matcher parts = FORM.matcher(FieldChecks.name("page_token", text, MAX));
    try {
      if (parts.matches()) {
        return new Position(parts.group(2), Long.parseLong(parts.group(1)));
      }
    } catch (NumberFormatException e) {
      // Of 19 digits, but above every token.
    }
    throw Failure.Invalid.field("page_token", '"' + text + '"', "one from a page before, or none");
  }
}
