package dev.plinth.lease.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Something worth remembering of a hold.
 *
 * @param cause why, if it ended
 * @param actor who did it
 * @param waited for a grant
 * @param held by one that ended
 */
public record HistoryEvent(
    Type type,
    Instant at,
    LeaseName name,
    String ownerId,
    String sessionId,
    long token,
    LeaseMode leaseMode,
    Optional<HoldEndCause> cause,
    String actor,
    String reason,
    Duration waited,
    Duration held,
    long term) {
  public enum Type {
    GRANTED,
    CONFIRMED,
    RELEASE_ASKED,
    ENDED
  }

  String line() {
    return String.join(
        " ",
        String.valueOf(at.toEpochMilli()),
        type.name(),
        name.namespace(),
        RowText.encode(name.key()),
        RowText.encode(ownerId),
        RowText.encode(sessionId),
        String.valueOf(token),
        leaseMode.name(),
        cause.map(HoldEndCause::name).orElse(RowText.NONE),
        RowText.encode(actor),
        RowText.encode(reason),
        RowText.millis(waited),
        RowText.millis(held),
        String.valueOf(term));
  }

  static HistoryEvent parse(String line) {
    String[] w = line.split(" ");
    return new HistoryEvent(
        Type.valueOf(w[1]),
        Instant.ofEpochMilli(Long.parseLong(w[0])),
        new LeaseName(w[2], RowText.decode(w[3])),
        RowText.decode(w[4]),
        RowText.decode(w[5]),
        Long.parseLong(w[6]),
        LeaseMode.valueOf(w[7]),
        w[8].equals(RowText.NONE) ? Optional.empty() : Optional.of(HoldEndCause.valueOf(w[8])),
        RowText.decode(w[9]),
        RowText.decode(w[10]),
        RowText.duration(w[11]),
        RowText.duration(w[12]),
        Long.parseLong(w[13]));
  }
}
