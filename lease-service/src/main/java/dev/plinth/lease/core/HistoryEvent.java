package dev.plinth.lease.core;

import dev.plinth.shards.RowReader;
import dev.plinth.shards.RowWriter;
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
    HoldId hold,
    Optional<HoldEndCause> cause,
    String actor,
    String reason,
    Duration waited,
    Duration held) {
  public enum Type {
    GRANTED,
    CONFIRMED,
    RELEASE_ASKED,
    ENDED
  }

  public LeaseName name() {
    return hold.name();
  }

  public String ownerId() {
    return hold.owner().ownerId();
  }

  byte[] line() {
    return RowWriter.line(at.toEpochMilli())
        .word(type)
        .word(hold.name().namespace())
        .text(hold.name().key())
        .text(hold.owner().ownerId())
        .text(hold.owner().sessionId())
        .number(hold.token())
        .word(hold.leaseMode())
        .text(cause.map(HoldEndCause::name).orElse(""))
        .text(actor)
        .text(reason)
        .millis(waited)
        .millis(held)
        .number(hold.term())
        .bytes();
  }

  static HistoryEvent parse(String line) {
    RowReader in = RowReader.line(line);
    Instant at = in.instant();
    Type type = Type.valueOf(in.word());
    LeaseName name = new LeaseName(in.word(), in.text());
    LeaseOwner owner = new LeaseOwner(in.text(), in.text());
    long token = in.number();
    LeaseMode leaseMode = LeaseMode.valueOf(in.word());
    String cause = in.text();
    String actor = in.text();
    String reason = in.text();
    Duration waited = in.millis();
    Duration held = in.millis();
    return new HistoryEvent(
        type,
        at,
        new HoldId(name, owner, token, leaseMode, in.number()),
        cause.isEmpty() ? Optional.empty() : Optional.of(HoldEndCause.valueOf(cause)),
        actor,
        reason,
        waited,
        held);
  }
}
