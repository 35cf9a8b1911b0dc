package dev.plinth.ratelimit.store.embedded;

import dev.plinth.ratelimit.core.BudgetStore;
import dev.plinth.ratelimit.core.Budgets;
import dev.plinth.ratelimit.core.Outcome;
import dev.plinth.ratelimit.core.Request;
import dev.plinth.server.Threads;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.rocksdb.RocksDBException;

/**
 * Budgets in memory, for one process. What changed is written to RocksDB once in an interval and
 * when the store is closed, all of it as of one moment of each domain, and read again when it is
 * opened.
 *
 * <p>A crash loses what the last interval {@code D} did: then up to {@code min(size, admitted in
 * D)} more is admitted of a budget than its limit says, a ticket or lease of that time cannot be
 * settled, and its request ids are not known. A slot of that time is forgotten and its place may be
 * given again; but with a higher token, always.
 *
 * <p>Time is the wall clock when the store was opened, moved on by the monotonic clock. While the
 * disk fails, budgets go on from memory and {@link #trouble} says so; the interval that a crash
 * would lose grows until a checkpoint passes again.
 */
public final class EmbeddedBudgetStore implements BudgetStore {
  static final String ENGINE = "embedded";
  private static final System.Logger LOG = System.getLogger(EmbeddedBudgetStore.class.getName());
  private static final byte[] REMOVED = {};
  private static final int SWEPT_PER_CHECKPOINT = 1000;

  /** The lock of a domain is its own; nothing but arithmetic is done under it. */
  private record Domain(Budgets budgets) {}

  private final Path folder;
  private final RowFile file;
  private final LongSupplier micros;
  private final ScheduledExecutorService scheduler;
  private final Tokens tokens;
  private final Map<String, Domain> domains = new ConcurrentHashMap<>();
  private final Map<String, byte[]> unwritten = new LinkedHashMap<>(); // guarded by this
  private volatile String trouble;
  private volatile boolean closed;

  EmbeddedBudgetStore(
      Path folder, RowFile file, LongSupplier micros, ScheduledExecutorService scheduler) {
    this.folder = folder;
    this.file = file;
    this.micros = micros;
    this.scheduler = scheduler;
    Map<String, Budgets> restored = new LinkedHashMap<>();
    LongSupplier next = () -> tokens().next();
    this.tokens =
        new Tokens(
            file.load(
                (kind, domain, key, text) ->
                    restored
                        .computeIfAbsent(domain, name -> Budgets.tracked(next))
                        .restore(kind, key, text)));
    restored.forEach((name, budgets) -> domains.put(name, new Domain(budgets)));
  }

  private Tokens tokens() {
    return tokens;
  }

  /**
   * Opens the folder, made if it is not there.
   *
   * @param interval between checkpoints
   * @throws StoreUnavailable if it is held, cannot be written, or a row of it is damaged
   */
  public static EmbeddedBudgetStore open(Path folder, Duration interval) {
    return open(
        folder,
        new RowFile(folder),
        interval,
        clock(InstantSource.system(), System::nanoTime),
        Executors.newSingleThreadScheduledExecutor(Threads.daemons("plinth-budgets")));
  }

  static EmbeddedBudgetStore open(
      Path folder,
      RowFile file,
      Duration interval,
      LongSupplier micros,
      ScheduledExecutorService scheduler) {
    try {
      EmbeddedBudgetStore store = new EmbeddedBudgetStore(folder, file, micros, scheduler);
      store.write(store.tokens.wanted());
      long nanos = interval.toNanos();
      scheduler.scheduleWithFixedDelay(store::checkpoint, nanos, nanos, TimeUnit.NANOSECONDS);
      return store;
    } catch (RocksDBException | StoreUnavailable e) {
      scheduler.shutdownNow();
      file.close();
      throw e instanceof StoreUnavailable known
          ? known
          : RowFile.unavailable("cannot write to " + folder, e);
    }
  }

  /** Microseconds since 1970 that never fall while the process runs. */
  static LongSupplier clock(InstantSource wall, LongSupplier nanos) {
    long start = TimeUnit.MILLISECONDS.toMicros(wall.millis());
    long from = nanos.getAsLong();
    return () -> start + (nanos.getAsLong() - from) / 1000;
  }

  @Override
  public CompletionStage<List<Outcome>> apply(String domain, List<Request> batch) {
    Domain mine = domains.get(domain);
    if (mine == null) {
      mine =
          domains.computeIfAbsent(domain, name -> new Domain(Budgets.tracked(() -> tokens.next())));
    }
    try {
      synchronized (mine) {
        if (closed) {
          throw StoreUnavailable.notApplied(ENGINE, "closed", null);
        }
        return CompletableFuture.completedFuture(mine.budgets.apply(batch, micros.getAsLong()));
      }
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** One pass; what cannot be written is kept for the next. */
  synchronized void checkpoint() {
    try {
      write(tokens.wanted());
      if (trouble != null) {
        LOG.log(System.Logger.Level.INFO, "budgets are written to {0} again", folder);
      }
      trouble = null;
    } catch (RocksDBException | RuntimeException e) {
      if (trouble == null) {
        LOG.log(System.Logger.Level.WARNING, "budgets are not written to " + folder, e);
      }
      trouble = "a checkpoint failed: " + e.getMessage();
    }
  }

  private synchronized void write(long tokensTo) throws RocksDBException {
    domains.forEach(this::collect);
    file.write(unwritten, tokensTo);
    tokens.setAside(tokensTo);
    unwritten.clear();
  }

  private void collect(String name, Domain domain) {
    List<Budgets.Change> changes;
    synchronized (domain) {
      domain.budgets.sweep(SWEPT_PER_CHECKPOINT, micros.getAsLong());
      changes = domain.budgets.changes();
    }
    for (Budgets.Change change : changes) {
      unwritten.put(
          RowFile.name(change.kind(), name, change.key()),
          change.isRemoval() ? REMOVED : RowFile.bytes(change.text()));
    }
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public String name() {
    return "budgets";
  }

  @Override
  public String kind() {
    return ENGINE;
  }

  @Override
  public String location() {
    return folder.toString();
  }

  @Override
  public Optional<String> trouble() {
    return Optional.ofNullable(trouble);
  }

  /** Writes everything; afterwards nothing is decided any more. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    scheduler.shutdownNow();
    closed = true; // before the domains' locks are taken: whoever comes after that is refused
    try {
      write(tokens.last());
    } catch (RocksDBException e) {
      LOG.log(System.Logger.Level.ERROR, "the last budgets were not written to " + folder, e);
    }
    file.close();
  }
}
