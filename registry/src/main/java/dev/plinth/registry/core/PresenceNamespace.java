package dev.plinth.registry.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The rooms of a namespace, how much they weigh, and until when some devices may be missing. */
final class PresenceNamespace {
  static final long MAX_BYTES = 64L << 20;
  private static final Duration LATER = Duration.ofSeconds(1);

  final String name;
  final Map<String, PresenceRoom> rooms = new HashMap<>();
  long bytes;

  /** That have called here. */
  int sessions;

  /** When every session that a new owner found has had its ttl; null if that is over. */
  Long completeAt;

  PresenceNamespace(String name) {
    this.name = name;
  }

  Optional<Duration> incompleteFor(long now) {
    return completeAt == null || completeAt - now <= 0
        ? Optional.empty()
        : Optional.of(
            Duration.ofNanos(completeAt - now).plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS));
  }

  void admitBytes(long more) {
    if (more > 0) {
      admit("bytes of presences of namespace " + name, bytes + more, MAX_BYTES);
    }
  }

  static void admit(String what, long wouldBe, long most) {
    if (wouldBe > most) {
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
          what,
          "there may be no more than " + most + " " + what,
          LATER);
    }
  }

  boolean isUnused() {
    return rooms.isEmpty() && sessions == 0 && completeAt == null;
  }
}
