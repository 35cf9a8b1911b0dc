package dev.plinth.ratelimit.store.embedded;

import dev.plinth.ratelimit.engine.Budgets;
import dev.plinth.ratelimit.engine.BudgetsSnapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.rocksdb.RocksDBException;

/**
 * Writes to a file what changed in the domains, pass by pass. A pass takes a snapshot of each
 * domain and writes it in small parts; the domain's lock is held for one part at a time, while
 * references are copied. What is in the file after a pass is at least what was decided when it
 * began.
 *
 * <p>A pass that fails is taken up where it was. By one thread at a time.
 */
final class CheckpointWriter {
  /** Rows that are looked at under a domain's lock, which takes some ten microseconds. */
  static final int FEW = 500;

  private static final long MINUTE = 60_000_000;

  private final BudgetDatabase file;
  private final SlotTokenSequence tokens;
  private final LongSupplier micros;

  private final Deque<EmbeddedDomain> left = new ArrayDeque<>();
  private EmbeddedDomain current;
  private BudgetsSnapshot snapshot;
  private List<BudgetDatabase.Row> unwritten = List.of();
  private boolean isInProgress;
  private boolean isDirty;
  private long began;
  private long minute;
  private long highest; // in the minute that began then
  private long highestBefore;

  private volatile long durable;
  private volatile long worst;

  CheckpointWriter(BudgetDatabase file, SlotTokenSequence tokens, LongSupplier micros) {
    this.file = file;
    this.tokens = tokens;
    this.micros = micros;
    this.durable = micros.getAsLong();
    this.minute = durable;
  }

  /** One pass over all of them, or the rest of the one that failed. */
  void write(Collection<EmbeddedDomain> domains, boolean isLast) throws RocksDBException {
    if (!isInProgress) {
      began = micros.getAsLong();
      left.addAll(domains);
      isInProgress = true;
    }
    while (readSome()) {
      writeSome();
    }
    long to = isLast ? tokens.last() : tokens.wanted();
    if (isDirty || to != tokens.end()) {
      file.sync(to);
    }
    tokens.setAside(to);
    isDirty = false;
    isInProgress = false;
    measured(loss());
    durable = began;
  }

  private void measured(long loss) {
    long now = micros.getAsLong();
    if (now - minute >= MINUTE) {
      minute = now;
      highestBefore = highest;
      highest = 0;
    }
    highest = Math.max(highest, loss);
    worst = Math.max(highest, highestBefore);
  }

  boolean isInProgress() {
    return isInProgress;
  }

  private void writeSome() throws RocksDBException {
    if (!unwritten.isEmpty()) {
      isDirty = true;
      file.write(unwritten);
      unwritten = List.of();
    }
  }

  /** False if all is written. */
  private boolean readSome() {
    if (!unwritten.isEmpty()) {
      return true; // of a pass that failed
    }
    List<Budgets.Change> some = new ArrayList<>(FEW);
    while (some.isEmpty()) {
      if (snapshot == null && !begin()) {
        return false;
      }
      boolean more;
      synchronized (current) {
        more = snapshot.read(FEW, some);
      }
      snapshot = more ? snapshot : null;
      if (some.isEmpty()) {
        LockSupport.parkNanos(1); // whoever waits for the lock is next, not this thread again
      }
    }
    String domain = current.name();
    unwritten = some.stream().map(change -> BudgetDatabase.Row.of(domain, change)).toList();
    return true;
  }

  private boolean begin() {
    current = left.poll();
    if (current == null) {
      return false;
    }
    synchronized (current) {
      snapshot = current.budgets().snapshot();
    }
    return true;
  }

  /** What a crash would forget: so many microseconds back from now. */
  long loss() {
    return Math.max(0, micros.getAsLong() - durable);
  }

  /** The most that {@link #loss} came to before a pass was done, in the last one to two minutes. */
  long worstLoss() {
    return worst;
  }
}
