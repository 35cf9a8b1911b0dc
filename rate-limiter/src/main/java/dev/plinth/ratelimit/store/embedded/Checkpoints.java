package dev.plinth.ratelimit.store.embedded;

import dev.plinth.ratelimit.core.Budgets;
import dev.plinth.ratelimit.core.BudgetsSnapshot;
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
final class Checkpoints {
  /** Rows that are looked at under a domain's lock, which takes some ten microseconds. */
  static final int FEW = 500;

  private static final long MINUTE = 60_000_000;

  private final RowFile file;
  private final Tokens tokens;
  private final LongSupplier micros;

  private final Deque<Domain> left = new ArrayDeque<>();
  private Domain current;
  private BudgetsSnapshot snapshot;
  private List<RowFile.Row> unwritten = List.of();
  private boolean isUnderWay;
  private boolean isDirty;
  private long began;
  private long minute;
  private long highest; // in the minute that began then
  private long highestBefore;

  private volatile long durable;
  private volatile long worst;

  Checkpoints(RowFile file, Tokens tokens, LongSupplier micros) {
    this.file = file;
    this.tokens = tokens;
    this.micros = micros;
    this.durable = micros.getAsLong();
    this.minute = durable;
  }

  /** One pass over all of them, or the rest of the one that failed. */
  void write(Collection<Domain> domains, boolean isLast) throws RocksDBException {
    if (!isUnderWay) {
      began = micros.getAsLong();
      left.addAll(domains);
      isUnderWay = true;
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
    isUnderWay = false;
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

  boolean isUnderWay() {
    return isUnderWay;
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
    unwritten = some.stream().map(change -> RowFile.Row.of(domain, change)).toList();
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
