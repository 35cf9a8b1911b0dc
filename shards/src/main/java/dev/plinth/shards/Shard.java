package dev.plinth.shards;

import dev.plinth.server.failure.Failure;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.ShardStore;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * One shard in the hands of this node: the apps' state in memory and what is on its way to the
 * store. Everything here runs on one thread at a time, as the work of its loop.
 *
 * <p>Commands change the state at once; an answer leaves when the batch that it may rest on is
 * durable: its own, or the last one before it, since it may have seen that one's effects.
 */
final class Shard {
  private static final Logger log = System.getLogger("plinth.shards");
  // A few answers leave on the thread of the store that made them durable: handing them over costs
  // more. Many would keep it from the next commit.
  private static final int MAX_ANSWERS_OF_STORE = 8;

  private final ShardStore store;
  private final OwnedShard owned;
  private final ShardExecutor loop;
  private final LongSupplier nanos;
  private final ShardClock time;
  private final Map<ShardApp<?>, Object> states = new HashMap<>();
  private final TimerWheel wheel;
  private WatchHub hub;
  private final RequestMemo memo;
  private final ShardMetrics metrics;
  private final CommitPipeline commits;
  private final ArrayDeque<ShardTask> heldBack = new ArrayDeque<>();
  private final UnansweredReplies unanswered = new UnansweredReplies();
  private final List<Runnable> whenQuiet = new ArrayList<>();
  private boolean stopped;
  private boolean holdsBack;
  private boolean newTimer;
  private final Route route;
  private volatile Failure dropped; // written by the loop, read by whoever would replace the shard

  /**
   * Completions of commits come back through {@code loop}, which runs them on this shard's thread.
   */
  Shard(
      ShardStore store,
      OwnedShard owned,
      ShardExecutor loop,
      LongSupplier nanos,
      RequestMemo memo,
      ShardMetrics metrics) {
    this.store = store;
    this.owned = owned;
    this.loop = loop;
    this.nanos = nanos;
    this.time = new ShardClock(nanos);
    this.wheel = new TimerWheel(time.getAsLong());
    this.commits = new CommitPipeline(store, owned, nanos, new CommitListener());
    numberFrom(owned.revision());
    this.memo = memo;
    this.metrics = metrics;
    this.route = Route.here(owned.epoch());
  }

  private void numberFrom(long revision) {
    commits.startAfter(revision);
    hub = new WatchHub(revision);
  }

  /**
   * Loads the rows and hands each app its own.
   *
   * @param generation of the data, if higher than the stored one
   */
  void takeOver(List<ShardApp<?>> apps, int generation, RollbackDetector rollbackDetector) {
    List<Row> rows = owned.load();
    int stored = Generation.stored(rows);
    numberFrom(owned.revision() + Generation.base(Math.max(stored, generation)));
    rollbackDetector.check(number(), hub.revision());
    if (generation > stored) {
      inTransaction(tx -> tx.put(Generation.ROW, Generation.row(generation)));
    }
    memo.load(rows);
    inTransaction(memo::begin);
    for (ShardApp<?> shardApp : apps) {
      List<Row> own = rows.stream().filter(row -> row.key().startsWith(shardApp.prefix())).toList();
      inTransaction(tx -> states.put(shardApp, shardApp.open(own, tx)));
    }
  }

  /** It answers from now on, so all time counts from now on. */
  void start() {
    time.run();
  }

  int number() {
    return owned.shard();
  }

  long epoch() {
    return owned.epoch();
  }

  Route route() {
    return route;
  }

  WatchHub hub() {
    return hub;
  }

  /** What the app keeps here. */
  @SuppressWarnings("unchecked") // put there by takeOver under the same app
  <S> S state(ShardApp<S> shardApp) {
    return (S) states.get(shardApp);
  }

  <S, R> void run(ShardApp<S> shardApp, Command<S, R> command, PendingReply<R> reply) {
    // One whose caller is gone is not run. What its caller left behind to be done may be done
    // already: it goes ahead of the command where that still queues.
    if (reply.isAbandoned() || !takes(reply)) {
      return;
    }
    S state = state(shardApp);
    reply.touched(true); // should it throw: sent elsewhere, it would throw there too
    inTransaction(
        tx -> {
          decide(state, command, tx, reply);
          reply.touched(tx.isDirty());
        });
  }

  /** Like {@link #run}, for what would change something durable. */
  <S, R> void mutate(ShardApp<S> shardApp, Command<S, R> command, PendingReply<R> reply) {
    Optional<Failure> refusal = isLost() ? Optional.empty() : store.readOnly();
    if (refusal.isPresent()) {
      reply.refuse(refusal.get());
    } else {
      run(shardApp, command, reply);
    }
  }

  /**
   * Like {@link #mutate}, but a request seen before gets its first answer and has no second effect.
   */
  <S, R> void runOnce(
      ShardApp<S> shardApp,
      CommandPriority commandPriority,
      IdempotentRequest<R> idempotentRequest,
      Command<S, R> command,
      PendingReply<R> reply) {
    Command<S, R> once =
        (state, tx, to) ->
            memo.admit(idempotentRequest, commandPriority, (ShardTx) tx, to)
                .ifPresent(first -> decide(state, command, (ShardTx) tx, first));
    mutate(shardApp, once, reply);
  }

  private static <S, R> void decide(S state, Command<S, R> command, ShardTx tx, Reply<R> reply) {
    try {
      command.run(state, tx, reply);
    } catch (Failure refusal) {
      if (tx.isDirty()) {
        throw refusal;
      }
      reply.fail(tx, refusal);
    }
  }

  /** Tells the watcher the state as of one revision, then every event after it. */
  <S> void watch(ShardApp<S> shardApp, StateSnapshot<S> snapshot, Watcher watcher) {
    Failure refusal = refusal();
    if (watcher.isGone()) {
      return; // it cannot be taken out again: that went ahead of this
    }
    if (refusal != null) {
      watcher.end(refusal);
    } else {
      begin(shardApp, snapshot, watcher);
    }
  }

  private <S> void begin(ShardApp<S> shardApp, StateSnapshot<S> snapshot, Watcher watcher) {
    // The state shows the open batch half done; sealed, it is the state as of that batch.
    commits.sealOpen();
    Object content = snapshot.take(state(shardApp), time.getAsLong());
    whenDurable(() -> hub.watch(watcher, content));
  }

  /**
   * Goes on after a revision; where events after it are gone, says so and starts from a snapshot.
   */
  <S> void resume(ShardApp<S> shardApp, long after, StateSnapshot<S> snapshot, Watcher watcher) {
    Failure refusal = refusal();
    if (refusal != null) {
      watcher.end(refusal);
    } else if (!hub.resume(watcher, after)) {
      begin(shardApp, snapshot, watcher);
    }
  }

  /** Tells watchers that nothing was missed, if this node can be sure of that. */
  void progress() {
    if (refusal() == null) {
      hub.progress();
    }
  }

  private boolean takes(PendingReply<?> reply) {
    Failure refusal = refusal();
    if (refusal != null) {
      reply.refuse(refusal);
      return false;
    }
    reply.bind(this);
    unanswered.add(reply);
    return true;
  }

  /**
   * Why nothing is decided here now; null if it may be. What is decided now was true now: the
   * answer may leave later, but not be found later.
   *
   * <p>Authority is read before the loss. Loss is for good, so a claim that is not lost afterwards
   * was not lost before: the authority was its own, and not that of the node's next session.
   */
  private Failure refusal() {
    boolean hasAuthority = hasAuthority();
    if (dropped == null && owned.isLost()) {
      drop(ShardFailures.moved(number()));
    }
    if (dropped != null || stopped) {
      return ShardFailures.noEffect(number());
    }
    if (hasAuthority) {
      return null;
    }
    return store.isClockTrusted()
        ? ShardFailures.noAuthority(number())
        : ShardFailures.clockUntrusted(number());
  }

  private boolean hasAuthority() {
    return store.authorityUntil() - nanos.getAsLong() > 0;
  }

  /**
   * Fires the timers that are due. Not while nothing can be written: an expiry would be lost, and
   * the shard with it. They are late then, never lost.
   */
  void advance() {
    if (hasTimers()) {
      wheel.advance(time.getAsLong());
    }
  }

  long nextTimer() {
    long next = hasTimers() ? wheel.nextNanos() : Long.MAX_VALUE;
    return next == Long.MAX_VALUE ? next : time.outside(next);
  }

  /** Whether a timer was set since this was last asked. */
  boolean takesNewTimer() {
    boolean since = newTimer;
    newTimer = false;
    return since;
  }

  private boolean hasTimers() {
    return dropped == null && !stopped && store.readOnly().isEmpty();
  }

  /** Sends what has gathered, as far as it may leave. */
  void flush() {
    commits.flush();
  }

  /**
   * Begins a pass of the loop. While sealed batches wait for room, normal work waits too: more
   * commands now would only make the queue behind them longer.
   */
  void beginPass() {
    holdsBack = commits.isCongested();
  }

  /** Keeps a task for later, behind those that are kept already, if it must wait; else false. */
  boolean holdBack(ShardTask task) {
    if (!holdsBack && heldBack.isEmpty()) {
      return false;
    }
    heldBack.add(task);
    return true;
  }

  /** What was held back, if there is room now; null if there is nothing to run here. */
  ShardTask pollHeldBack(boolean takesSlow) {
    ShardTask next = holdsBack ? null : heldBack.peek();
    return next == null || next.isSlow() && !takesSlow ? null : heldBack.poll();
  }

  /** Whether something was held back and could run in the next pass. */
  boolean hasWork() {
    return !heldBack.isEmpty() && !commits.isCongested();
  }

  /** Runs work whose failure costs this shard its memory, and the loop nothing. */
  void guarded(Consumer<Shard> work) {
    try {
      work.accept(this);
    } catch (Throwable thrown) { // after an Error too, nobody knows what was half done
      failed(thrown);
    }
  }

  private void failed(Throwable thrown) {
    try {
      log.log(Level.ERROR, "shard " + number() + " is loaded anew: its work failed", thrown);
    } finally {
      drop(ShardFailures.moved(number()));
    }
  }

  /**
   * Decides nothing more, by command or by time, so that once it is quiet nothing of this shard is
   * left that the next owner will not see.
   */
  void stop() {
    stopped = true;
  }

  /** Runs a task once all that was decided until now is durable or lost. */
  void whenQuiet(Runnable task) {
    if (dropped != null) {
      task.run();
    } else {
      whenQuiet.add(task);
      whenDurable(this::becomeQuiet);
    }
  }

  private void becomeQuiet() {
    List<Runnable> tasks = List.copyOf(whenQuiet);
    whenQuiet.clear();
    tasks.forEach(Runnable::run);
  }

  /** Gone to another node, or dropped already. */
  boolean isLost() {
    return dropped != null || owned.isLost();
  }

  boolean isDropped() {
    return dropped != null;
  }

  /** Forgets the shard: every caller still waiting is told why, and nothing more leaves. */
  void drop(Failure why) {
    if (dropped != null) {
      return;
    }
    metrics.dropped();
    end(why);
  }

  private void end(Failure why) {
    dropped = why;
    commits.end();
    Failure untouched = ShardFailures.noEffect(number());
    unanswered.removeEach(reply -> reply.drop(why, untouched));
    hub.close(why);
    memo.close();
    states.keySet().forEach(this::close);
    becomeQuiet();
  }

  private <S> void close(ShardApp<S> shardApp) {
    shardApp.close(state(shardApp));
  }

  /**
   * A move that was asked for, or the end of one that was not: callers are told alike. Watchers of
   * a shard that leaves in good order first hear its last revision, from which the next owner lets
   * them go on without a snapshot.
   */
  void leave() {
    if (dropped == null) {
      boolean quiet = stopped && commits.isEmpty();
      if (quiet && hasAuthority() && !owned.isLost()) {
        hub.progress();
      }
      end(ShardFailures.moved(number()));
    }
  }

  /** The claim once more, if it outlasts a store that took no writes. Waits for the store. */
  Optional<OwnedShard> reclaim() {
    return owned.reclaim();
  }

  /** Lets others claim it. Not on the loop: it waits for the store. */
  void release() {
    owned.release();
  }

  void whenDurable(Runnable task) {
    commits.whenDurable(task);
  }

  void answered(PendingReply<?> reply) {
    unanswered.remove(reply);
  }

  private void inTransaction(TransactionWork work) {
    ShardTx tx = new ShardTx(this, time.getAsLong());
    try {
      work.run(tx);
    } catch (Throwable thrown) { // a StackOverflowError, say: the state may be half changed
      failed(thrown);
      return;
    }
    merge(tx);
  }

  private void merge(ShardTx tx) {
    tx.prepare();
    if (tx.writes() > store.maxWrites()) {
      log.log(Level.ERROR, "shard {0}: {1} writes in one command", number(), tx.writes());
      drop(ShardFailures.moved(number()));
      return;
    }
    commits.add(tx);
    tx.answers().forEach(commits::whenDurable);
  }

  private final class CommitListener implements CommitPipeline.Listener {
    @Override
    public void execute(int answers, Runnable step) {
      Runnable task = () -> guarded(shard -> step.run());
      if (answers > MAX_ANSWERS_OF_STORE) {
        loop.executeOnThread(task);
      } else {
        loop.execute(task);
      }
    }

    @Override
    public void durable(CommitBatch commitBatch) {
      metrics.committed(commitBatch.size(), nanos.getAsLong() - commitBatch.sentAt());
      hub.publish(commitBatch.revision(), commitBatch.events());
      commitBatch.durable();
    }

    @Override
    public void lost(Failure why) {
      drop(why == null ? ShardFailures.moved(number()) : why);
    }
  }

  long nextToken() {
    return commits.nextToken();
  }

  Tx.Timer schedule(long dueNanos, Tx.TimerTask task) {
    newTimer = true;
    TimerWheel.Timer timer =
        wheel.schedule(
            dueNanos,
            () -> {
              if (dropped == null) { // by a timer that fired before it in the same step
                metrics.fired(Math.max(0, time.getAsLong() - dueNanos));
                inTransaction(task::run);
              }
            });
    return timer::cancel;
  }

  @FunctionalInterface
  private interface TransactionWork {
    void run(ShardTx tx);
  }
}
