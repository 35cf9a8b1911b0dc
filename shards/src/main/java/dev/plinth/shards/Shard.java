package dev.plinth.shards;

import dev.plinth.machine.Machine;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.request.RequestMemo;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.ShardStore;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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
  private final Machine machine;
  private final LongSupplier nanos;
  private final AppStates states = new AppStates();
  private final ShardTimers timers;
  private WatchHub hub;
  private final RequestMemo memo;
  private final ShardMetrics metrics;
  private final CommitPipeline commits;
  private final HeldBackTasks heldBack;
  private final UnansweredReplies unanswered = new UnansweredReplies();
  private final List<Runnable> whenQuiet = new ArrayList<>();
  private final Route route;
  private boolean stopped;
  private volatile Failure dropped; // written by the loop, read by whoever would replace the shard

  /** Completions of commits come back through {@code loop}, on this shard's thread. */
  Shard(
      ShardStore store,
      OwnedShard owned,
      ShardExecutor loop,
      Machine machine,
      RequestMemo memo,
      ShardMetrics metrics) {
    this.store = store;
    this.owned = owned;
    this.loop = loop;
    this.machine = machine;
    this.nanos = machine.nanos();
    this.memo = memo;
    this.metrics = metrics;
    this.timers =
        new ShardTimers(machine.time().nanos(), this::mayFire, this::isStopped, this::fire);
    this.commits = new CommitPipeline(store, owned, machine, new CommitListener());
    this.heldBack = new HeldBackTasks(commits);
    numberFrom(owned.revision());
    this.route = Route.here(owned.epoch());
  }

  private void numberFrom(long revision) {
    commits.startAfter(revision);
    hub = new WatchHub(revision, machine.memoryShare(WatchHub.MAX_BYTES));
  }

  /**
   * Loads the rows and hands each app its own. Throws what an app throws at rows that it cannot
   * read: loaded anew, they would be the same.
   *
   * @param generation of the data, if higher than the stored one
   */
  void takeOver(List<ShardApp<?>> apps, int generation, RollbackDetector rollbackDetector) {
    List<Row> rows = owned.load();
    int stored = Generation.stored(rows);
    numberFrom(owned.revision() + Generation.base(Math.max(stored, generation)));
    rollbackDetector.check(number(), hub.revision());
    if (generation > stored) {
      transact(tx -> tx.put(Generation.ROW, Generation.row(generation)));
    }
    memo.load(rows);
    transact(memo::begin);
    for (ShardApp<?> shardApp : apps) {
      transact(tx -> states.open(shardApp, rows, tx));
    }
  }

  int number() {
    return owned.shard();
  }

  Route route() {
    return route;
  }

  WatchHub hub() {
    return hub;
  }

  ShardTimers timers() {
    return timers;
  }

  /** What the loop keeps for it while its commits are held up. */
  HeldBackTasks heldBack() {
    return heldBack;
  }

  <S, R> void run(ShardApp<S> shardApp, Command<S, R> command, PendingReply<R> reply) {
    // One whose caller is gone is not run. What its caller left behind to be done may be done
    // already: it goes ahead of the command where that still queues.
    if (reply.isAbandoned() || !takes(reply)) {
      return;
    }
    S state = states.of(shardApp);
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

  /** Like {@link #mutate}, but a request seen before has no effect and gets its first answer. */
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

  /**
   * Tells the watcher the state as of one revision, then every event after it. With a revision to
   * go on after, it hears the events after that one; where some of those are gone, it is told so
   * and starts from a snapshot.
   */
  <S> void watch(
      ShardApp<S> shardApp, OptionalLong after, StateSnapshot<S> snapshot, Watcher watcher) {
    if (watcher.isGone()) {
      return; // it cannot be taken out again: that went ahead of this
    }
    Failure refusal = refusal();
    if (refusal != null) {
      watcher.end(refusal);
    } else if (after.isEmpty() || !hub.resume(watcher, after.getAsLong())) {
      // The state shows the open batch half done; sealed, it is the state as of that batch.
      commits.sealOpen();
      Object content = snapshot.take(states.of(shardApp), timers.now());
      hub.expect(watcher);
      commits.whenDurable(() -> hub.watch(watcher, content));
    }
  }

  /** Tells watchers that nothing was missed, if this node can be sure of that. */
  void progress() {
    if (refusal() == null) {
      hub.progress();
      states.progress(timers.now());
    }
  }

  private boolean takes(PendingReply<?> reply) {
    Failure refusal = refusal();
    if (refusal != null) {
      reply.refuse(refusal);
      return false;
    }
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
    if (isStopped()) {
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

  private boolean isStopped() {
    return dropped != null || stopped;
  }

  private boolean mayFire() {
    return !isStopped() && store.readOnly().isEmpty();
  }

  private void fire(Tx.TimerTask task, long lateNanos) {
    if (dropped == null) { // by a timer that fired before it in the same step
      metrics.fired(lateNanos);
      inTransaction(task::run);
    }
  }

  /** Sends what has gathered, as far as it may leave. */
  void flush() {
    commits.flush();
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
      commits.whenDurable(this::becomeQuiet);
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

  /** For a shard that could not be taken over: gives back what it used of the node. */
  void discard() {
    memo.close();
    states.close();
  }

  /** Forgets the shard: every caller still waiting is told why, and nothing more leaves. */
  void drop(Failure why) {
    if (dropped == null) {
      metrics.dropped();
      end(why);
    }
  }

  private void end(Failure why) {
    dropped = why;
    commits.end();
    Failure untouched = ShardFailures.noEffect(number());
    unanswered.removeEach(reply -> reply.drop(why, untouched));
    hub.close(why);
    memo.close();
    states.close();
    becomeQuiet();
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

  private void inTransaction(Consumer<ShardTx> work) {
    try {
      transact(work);
    } catch (Throwable thrown) { // a StackOverflowError, say: the state may be half changed
      failed(thrown);
    }
  }

  private void transact(Consumer<ShardTx> work) {
    ShardTx tx = new ShardTx(timers, commits, this::hasAuthority);
    work.accept(tx);
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
}
