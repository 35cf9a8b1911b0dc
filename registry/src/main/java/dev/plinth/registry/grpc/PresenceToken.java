package dev.plinth.registry.grpc;

import dev.plinth.registry.core.PresenceNews.Position;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The resume tokens of one room: opaque to callers, and refused where they are none of it. */
final class PresenceToken {
  private static final int MAX = 64;
  private static final Pattern FORM =
      Pattern.compile("p1\\.(\\d{1,19})\\.(\\d{1,19})\\.([0-9a-f]{1,8})");

  private final String room;

  PresenceToken(String namespace, String room) {
    this.room = Integer.toHexString((namespace + "/" + room).hashCode());
  }

  String text(Position at) {
    return "p1." + at.epoch() + "." + at.revision() + "." + room;
  }

  /** Where to go on after; empty to begin with a snapshot. */
  Optional<Position> parse(String text) {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    Matcher parts = FORM.matcher(FieldChecks.name("resume_token", text, MAX));
    try {
      if (parts.matches() && parts.group(3).equals(room)) {
        long epoch = Long.parseLong(parts.group(1));
        return Optional.of(new Position(epoch, Long.parseLong(parts.group(2)), 0));
      }
    } catch (NumberFormatException e) {
      // Digits enough, but above every number.
    }
    throw Failure.Invalid.field(
        "resume_token", FieldChecks.quoted(text), "one from a watch of the same room, or none");
  }
}
