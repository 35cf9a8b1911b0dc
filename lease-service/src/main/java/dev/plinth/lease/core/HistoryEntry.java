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
public record HistoryEntry(
    Type type,
    Instant at,
    LeaseName name,
    String ownerId,
    String sessionId,
    long token,
    Mode mode,
    Optional<Ending> cause,
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
        Words.text(name.key()),
        Words.text(ownerId),
        Words.text(sessionId),
        String.valueOf(token),
        mode.name(),
        cause.map(Ending::name).orElse(Words.NONE),
        Words.text(actor),
        Words.text(reason),
        Words.millis(waited),
        Words.millis(held),
        String.valueOf(term));
  }

  static HistoryEntry parse(String line) {
    String[] w = line.split(" ");
    return new HistoryEntry(
        Type.valueOf(w[1]),
        Instant.ofEpochMilli(Long.parseLong(w[0])),
        new LeaseName(w[2], Words.untext(w[3])),
        Words.untext(w[4]),
        Words.untext(w[5]),
        Long.parseLong(w[6]),
        Mode.valueOf(w[7]),
        w[8].equals(Words.NONE) ? Optional.empty() : Optional.of(Ending.valueOf(w[8])),
        Words.untext(w[9]),
        Words.untext(w[10]),
        Words.duration(w[11]),
        Words.duration(w[12]),
        Long.parseLong(w[13]));
  }
}
