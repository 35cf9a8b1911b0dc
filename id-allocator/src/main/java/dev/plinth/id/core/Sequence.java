package dev.plinth.id.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.core.NamespaceDefinition.Dense;
import dev.plinth.id.core.NamespaceDefinition.Order;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Throttle;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A counter. Its row sets ids aside in blocks; what lies in a block that is durable is given out
 * from memory alone. The next block is asked for when half of this one is used. Whoever takes over
 * cannot know how much of the last block was given out, so it starts behind it.
 *
 * <p>All places are positions: 0 is the first id.
 */
final class Sequence {
  private static final int BLOCK_SECONDS = 2;
  private static final int RANGE_SECONDS = 10;
  private static final long MIN_BLOCK = 64;
  private static final long MAX_BLOCK = 1_000_000;
  private static final double SLOWEST_FOR_A_RUNWAY = 0.001;
  // The longest that a protobuf duration holds.
  private static final double MAX_SECONDS = 315_576_000_000.0;

  private record Lease(long from, long count, long deadline, Tx.Timer expiry) {
    long end() {
      return from + count;
    }
  }

  private final String name;
  private final IdEvents events;
  private final Map<String, Lease> ranges = new LinkedHashMap<>();
  private final RateEstimator rateEstimator = new RateEstimator();
  private final Throttle throttle;
  private final long epoch;
  private Dense definition;
  private long reserved;
  private long durable;
  private long cursor;
  private long issued;
  private long wasted;
  private long leased;
  private long lastLease;
  private SequenceLedger counted = SequenceLedger.EMPTY;
  private long countedIds;

  /** As the last owner left it: its ranges count as used up, its block as lost. */
  Sequence(String name, Dense definition, IdRows.Counter left, IdEvents events) {
    this.name = name;
    this.definition = definition;
    this.events = events;
    this.throttle = new Throttle("ids", name);
    this.epoch = left.epoch() + 1;
    reserved = left.reserved();
    durable = reserved;
    cursor = reserved;
    issued = left.issued() + left.leased();
    wasted = reserved - issued;
    count();
  }

  Dense definition() {
    return definition;
  }

  void definition(Dense next) {
    definition = next;
  }

  /** Once it has given out anything its numbers cannot change any more. */
  boolean isUsed() {
    return reserved > 0;
  }

  Allocation<AllocatedIds> allocate(int count, Tx tx) {
    long left = definition.numbers().capacity() - cursor;
    if (left < count) {
      throw exhausted(left);
    }
    throttle(count, tx);
    long from = cursor;
    issued += count;
    boolean ready = take(count, tx);
    events.allocated(count);
    // In strict order no answer may pass one that was decided before it.
    boolean now = ready && definition.order() != Order.STRICT;
    return new Allocation<>(
        new AllocatedIds(
            List.of(), definition.numbers().idAt(from), count, definition.numbers().step()),
        now);
  }

  Allocation<RangeView> lease(long want, Tx tx) {
    if (definition.order() == Order.STRICT) {
      throw Namespace.wrongFormat(name, "has a strict order", "Allocate");
    }
    long left = definition.numbers().capacity() - cursor;
    if (left == 0) {
      throw exhausted(0);
    }
    NamespaceDefinition.Ranges rules = definition.ranges();
    long suited = want == 0 ? suggested(tx) : Math.max(rules.min(), Math.min(rules.max(), want));
    long count = Math.min(Math.min(suited, left), roomForRanges(tx));
    throttle(count, tx);
    long from = cursor;
    leased += count;
    boolean ready = take(count, tx);
    String id = epoch + "-" + ++lastLease;
    long deadline = tx.nanos() + rules.ttl().toNanos();
    ranges.put(id, new Lease(from, count, deadline, tx.at(deadline, later -> expire(id))));
    events.rangeLeased(count);
    return new Allocation<>(
        new RangeView(
            id,
            definition.numbers().idAt(from),
            count,
            definition.numbers().step(),
            epoch,
            rules.ttl(),
            suggested(tx)),
        ready);
  }

  private void throttle(long count, Tx tx) {
    if (definition.maxPerSecond() > 0) {
      throttle.take(count, definition.maxPerSecond(), tx.nanos());
    }
  }

  private long suggested(Tx tx) {
    NamespaceDefinition.Ranges rules = definition.ranges();
    return rateEstimator.worth(RANGE_SECONDS, tx.nanos(), rules.min(), rules.max());
  }

  private long roomForRanges(Tx tx) {
    long most = definition.ranges().maxOutstanding();
    if (most == 0) {
      return Long.MAX_VALUE;
    }
    if (leased >= most) {
      long next = ranges.values().stream().mapToLong(Lease::deadline).min().orElseThrow();
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
          "ids out of namespace " + name,
          "namespace " + name + " may have no more than " + most + " ids out in ranges",
          Duration.ofNanos(Math.max(1, next - tx.nanos())));
    }
    return most - leased;
  }

  private Failure exhausted(long left) {
    return new Failure.Exhausted(
        ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED,
        "namespace " + name,
        "namespace "
            + name
            + " has "
            + left
            + " ids left up to its max, "
            + definition.numbers().max(),
        Duration.ofHours(1));
  }

  /** Moves the cursor on; the ledger has been told already. True if no commit is waited for. */
  private boolean take(long count, Tx tx) {
    rateEstimator.count(count, tx.nanos());
    cursor += count;
    boolean ready = cursor <= durable;
    long block = rateEstimator.worth(BLOCK_SECONDS, tx.nanos(), MIN_BLOCK, MAX_BLOCK);
    boolean refill = reserved - cursor < block / 2;
    long end = cursor + Math.min(definition.numbers().capacity() - cursor, block);
    if (refill && end > reserved) {
      reserved = end;
      events.refilled();
      write(tx);
    }
    if (!ready) {
      events.waited();
    }
    count();
    return ready;
  }

  private void write(Tx tx) {
    new IdRows.Counter(epoch, reserved, issued, wasted, leased).put(name, tx);
    long end = reserved;
    tx.afterCommit(() -> durable = Math.max(durable, end));
  }

  /** The end of the newest range goes back; any other's has others behind it. */
  ReturnRangeResult returnRange(String leaseId, long used, Tx tx) {
    Lease lease = ranges.get(leaseId);
    if (lease == null) {
      events.rangeEnded(ReturnRangeResult.Outcome.NOT_OUT.name());
      return new ReturnRangeResult(ReturnRangeResult.Outcome.NOT_OUT, 0);
    }
    if (used > lease.count()) {
      throw Failure.Invalid.field("used", used, "0.." + lease.count() + ", as many as it has");
    }
    ranges.remove(leaseId);
    lease.expiry().cancel();
    long rest = lease.count() - used;
    boolean newest = lease.end() == cursor;
    leased -= lease.count();
    issued += used;
    if (newest) {
      cursor -= rest;
    } else {
      wasted += rest;
    }
    write(tx);
    count();
    ReturnRangeResult.Outcome outcome =
        newest ? ReturnRangeResult.Outcome.RECLAIMED : ReturnRangeResult.Outcome.WASTED;
    events.rangeEnded(outcome.name());
    return new ReturnRangeResult(outcome, rest);
  }

  private void expire(String leaseId) {
    Lease lease = ranges.remove(leaseId);
    leased -= lease.count();
    issued += lease.count();
    count();
    events.rangeEnded("EXPIRED");
  }

  /** Skips every id below this. */
  void advance(long to, Tx tx) {
    if (to > definition.numbers().max()) {
      throw Failure.Invalid.field("to", to, "at most max, " + definition.numbers().max());
    }
    long target = Math.min(definition.numbers().capacity(), definition.numbers().positionFrom(to));
    if (target > cursor) {
      wasted += target - cursor;
      cursor = target;
      reserved = Math.max(reserved, target);
      write(tx);
      count();
    }
  }

  ParsedId parse(long id) {
    long position = definition.numbers().positionOf(id);
    return new ParsedId.DenseParts(id, position, position >= 0 && position < cursor);
  }

  double rate(Tx tx) {
    return rateEstimator.perSecond(tx.nanos());
  }

  IdNamespaceStatus.Progress progress(Tx tx) {
    long capacity = definition.numbers().capacity();
    long left = capacity - cursor;
    double rate = rate(tx);
    Optional<Duration> runway =
        rate < SLOWEST_FOR_A_RUNWAY
            ? Optional.empty()
            : Optional.of(Duration.ofSeconds((long) Math.min(left / rate, MAX_SECONDS)));
    long next = reserved == capacity ? 0 : definition.numbers().idAt(reserved);
    return new IdNamespaceStatus.DenseProgress(ledger(), next, left, runway, epoch);
  }

  private SequenceLedger ledger() {
    return new SequenceLedger(issued, wasted, leased + reserved - cursor);
  }

  private void count() {
    SequenceLedger now = ledger();
    events.ledger(
        new SequenceLedger(
            now.issued() - counted.issued(),
            now.wasted() - counted.wasted(),
            now.outstanding() - counted.outstanding()),
        reserved - countedIds);
    counted = now;
    countedIds = reserved;
  }

  /** Given up: what was told to the metrics is taken back. */
  void uncount() {
    events.ledger(
        new SequenceLedger(-counted.issued(), -counted.wasted(), -counted.outstanding()),
        -countedIds);
  }
}
