package dev.plinth.ratelimit.store.embedded;

import dev.plinth.machine.Machine;
import dev.plinth.ratelimit.engine.Budgets;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.RowMemory;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.rocksdb.RocksDBException;

/**
 * Budgets in the memory of one process, with a file or without.
 *
 * <p>With a file, for the one process that decides everything: what changed is written to RocksDB
 * once in an interval and when the store is closed, and read again when it is opened. A crash loses
 * what the last interval {@code D} did: then up to {@code min(size, admitted in D)} more is
 * admitted of a budget than its limit says, a ticket or lease of that time cannot be settled, and
 * its request ids are not known. A slot of that time is forgotten and may be granted again; but
 * with a higher token, always. {@link #loss} measures {@code D}. While the disk fails, budgets
 * continue from memory, {@link #unavailableReason} says so, and {@code D} grows until a checkpoint
 * passes again.
 *
 * <p>Without, for one of several nodes, each of which decides for the domains whose shards it owns.
 * A domain that moves is reset at the next node: at most one whole budget more is admitted of each
 * key, and tickets, slots and request ids of the node before are not known. Tokens of slots are
 * then times, so that they rise from node to node, as far as the nodes' clocks agree.
 *
 * <p>Time is the wall clock when the store was opened, moved on by the monotonic clock.
 */
public final class EmbeddedBudgetStore implements BudgetStore {
  static final String ENGINE = "embedded";
  private static final System.Logger LOG = System.getLogger(EmbeddedBudgetStore.class.getName());
  private static final Duration SWEEP = Duration.ofSeconds(1);

  private final String location;
  private final LongSupplier micros;
  private final ScheduledExecutorService scheduler;
  private final RowMemory memory;
  private final Map<String, EmbeddedDomain> domains = new ConcurrentHashMap<>();
  private final Function<String, EmbeddedDomain> empty;
  private final Optional<BudgetDatabase> file;
  private final Optional<CheckpointWriter> checkpoints;
  private volatile String unavailableReason;
  private volatile boolean closed;

  private EmbeddedBudgetStore(
      String location,
      Optional<BudgetDatabase> file,
      LongSupplier micros,
      ScheduledExecutorService scheduler,
      RowMemory memory) {
    this.location = location;
    this.file = file;
    this.micros = micros;
    this.scheduler = scheduler;
    this.memory = memory;
    if (file.isEmpty()) {
      AtomicLong last = new AtomicLong();
      LongSupplier times =
          () -> last.updateAndGet(before -> Math.max(before + 1, micros.getAsLong()));
      this.empty = name -> new EmbeddedDomain(name, Budgets.untracked(times, memory));
      this.checkpoints = Optional.empty();
    } else {
      SlotTokenSequence tokens = new SlotTokenSequence();
      this.empty = name -> new EmbeddedDomain(name, Budgets.tracked(tokens::next, memory));
      tokens.begin(
          file.get()
              .load(
                  (kind, domain, key, text) ->
                      domains.computeIfAbsent(domain, empty).budgets().restore(kind, key, text)));
      this.checkpoints = Optional.of(new CheckpointWriter(file.get(), tokens, micros));
    }
  }

  /** Without a file. */
  public static EmbeddedBudgetStore open(RowMemory memory) {
    return open(memory, Machine.system());
  }

  /** Without a file, on a machine that is given. */
  public static EmbeddedBudgetStore open(RowMemory memory, Machine machine) {
    return open(clock(machine), scheduler(machine), memory);
  }

  static EmbeddedBudgetStore open(
      LongSupplier micros, ScheduledExecutorService scheduler, RowMemory memory) {
    EmbeddedBudgetStore store =
        new EmbeddedBudgetStore("this process", Optional.empty(), micros, scheduler, memory);
    store.repeat(store::sweep, SWEEP);
    return store;
  }

  /**
   * Opens the folder, made if it is not there.
   *
   * @param interval between checkpoints
   * @param memory that its rows may take
   * @throws StoreUnavailable if it is held, cannot be written, or a row of it is damaged
   */
  public static EmbeddedBudgetStore open(Path folder, Duration interval, RowMemory memory) {
    return open(folder, interval, memory, Machine.system());
  }

  /** Like the other, on a machine that is given. */
  public static EmbeddedBudgetStore open(
      Path folder, Duration interval, RowMemory memory, Machine machine) {
    return open(
        folder, new BudgetDatabase(folder), interval, clock(machine), scheduler(machine), memory);
  }

  static EmbeddedBudgetStore open(
      Path folder,
      BudgetDatabase file,
      Duration interval,
      LongSupplier micros,
      ScheduledExecutorService scheduler,
      RowMemory memory) {
    try {
      EmbeddedBudgetStore store =
          new EmbeddedBudgetStore(folder.toString(), Optional.of(file), micros, scheduler, memory);
      store.write(false);
      store.repeat(store::checkpoint, interval);
      return store;
    } catch (RocksDBException | StoreUnavailable e) {
      scheduler.shutdownNow();
      file.close();
      throw e instanceof StoreUnavailable known
          ? known
          : BudgetDatabase.unavailable("cannot write to " + folder, e);
    }
  }

  private static ScheduledExecutorService scheduler(Machine machine) {
    return machine.scheduler("plinth-budgets");
  }

  private static LongSupplier clock(Machine machine) {
    return clock(machine.time(), machine.time().nanos());
  }

  /** At a fixed rate: an interval is not made longer by what the last pass took. */
  private void repeat(Runnable work, Duration interval) {
    long nanos = interval.toNanos();
    scheduler.scheduleAtFixedRate(work, nanos, nanos, TimeUnit.NANOSECONDS);
  }

  /** Microseconds since 1970 that never fall while the process runs. */
  static LongSupplier clock(InstantSource wall, LongSupplier nanos) {
    long start = TimeUnit.MILLISECONDS.toMicros(wall.millis());
    long from = nanos.getAsLong();
    return () -> start + (nanos.getAsLong() - from) / 1000;
  }

  @Override
  public CompletionStage<List<Outcome>> apply(String domain, List<BudgetRequest> batch) {
    EmbeddedDomain mine = domains.get(domain);
    if (mine == null) {
      // Names of domains are the callers': one that holds nothing is not kept.
      mine =
          batch.stream().anyMatch(BudgetRequest::beginsRows)
              ? domains.computeIfAbsent(domain, empty)
              : new EmbeddedDomain(
                  domain, Budgets.untracked(() -> 0, new RowMemory(Long.MAX_VALUE)));
    }
    try {
      synchronized (mine) {
        if (closed) {
          throw StoreUnavailable.notApplied(ENGINE, "closed", null);
        }
        return CompletableFuture.completedFuture(mine.budgets().apply(batch, micros.getAsLong()));
      }
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** How many hold anything, or did. */
  int domains() {
    return domains.size();
  }

  private void sweep() {
    domains.values().forEach(domain -> domain.sweep(micros));
  }

  /** One pass; what cannot be written is kept for the next. */
  synchronized void checkpoint() {
    if (closed) {
      return;
    }
    try {
      sweep();
      write(false);
      if (unavailableReason != null) {
        LOG.log(System.Logger.Level.INFO, "budgets are written to {0} again", location);
      }
      unavailableReason = null;
    } catch (RocksDBException | RuntimeException e) {
      if (unavailableReason == null) {
        LOG.log(System.Logger.Level.WARNING, "budgets are not written to " + location, e);
      }
      unavailableReason = "a checkpoint failed: " + e.getMessage();
    }
  }

  /** All that was decided up to now, also where a pass that failed has to be ended first. */
  private synchronized void write(boolean isLast) throws RocksDBException {
    CheckpointWriter written = checkpoints.orElseThrow();
    if (written.isInProgress()) {
      written.write(domains.values(), false);
    }
    written.write(domains.values(), isLast);
  }

  @Override
  public Optional<RowMemory> rows() {
    return Optional.of(memory);
  }

  @Override
  public Optional<Loss> loss() {
    return checkpoints.map(
        written -> new Loss(duration(written.loss()), duration(written.worstLoss())));
  }

  private static Duration duration(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
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
    return location;
  }

  @Override
  public Optional<String> unavailableReason() {
    return Optional.ofNullable(unavailableReason);
  }

  /** Writes everything; afterwards nothing is decided any more. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    scheduler.shutdownNow();
    closed = true; // before the domains' locks are taken: whoever comes after that is refused
    if (file.isEmpty()) {
      return;
    }
    try {
      write(true);
    } catch (RocksDBException e) {
      LOG.log(System.Logger.Level.ERROR, "the last budgets were not written to " + location, e);
    }
    file.get().close();
  }
}
