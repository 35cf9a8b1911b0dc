package dev.plinth.shards;

import dev.plinth.machine.Machine;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.shards.store.ShardStore;
import java.util.ArrayDeque;
import java.util.concurrent.CompletionException;

/**
 * What one shard has decided and is not durable yet. Writes gather in the open batch, which leaves
 * when none is in flight, so a lone command never waits and many share a commit. A full batch is
 * sealed, and leaves beside those in flight.
 */
final class CommitPipeline {
  private static final int MAX_IN_FLIGHT = 3;
  // Stores bound a commit's bytes too, etcd at 1.5 MiB.
  private static final int MAX_BYTES = 1 << 20;
  // The low bits of a token count within a batch.
  private static final int MAX_TOKENS =
      1 << FencingTokens.INDEX_BITS - 1; // half, as a command takes several

  /** Learns how commits end; on the loop. */
  interface Listener {
    /** Runs a step that tells so many callers, and costs the shard its memory if it fails. */
    void execute(int answers, Runnable step);

    /** All that rests on the batch may be told. */
    void durable(CommitBatch commitBatch);

    /** Nothing more of this shard becomes durable; why is null where another node has it. */
    void lost(Failure why);
  }

  private final ShardStore store;
  private final OwnedShard owned;
  private final Machine machine;
  private final Listener listener;
  private final ArrayDeque<CommitBatch> sealed = new ArrayDeque<>();
  private final ArrayDeque<CommitBatch> inFlight = new ArrayDeque<>();
  private CommitBatch open;
  private int tokens;
  private boolean ended;

  CommitPipeline(ShardStore store, OwnedShard owned, Machine machine, Listener listener) {
    this.store = store;
    this.owned = owned;
    this.machine = machine;
    this.listener = listener;
  }

  /** The next batch is the one after this revision. */
  void startAfter(long revision) {
    open = new CommitBatch(revision + 1);
  }

  /** Adds the effects of one command, which stay together. */
  void add(ShardTx tx) {
    boolean full =
        open.sizeWith(tx) > store.maxWrites()
            || open.bytes() + tx.bytes() > MAX_BYTES && !open.isEmpty()
            || tokens >= MAX_TOKENS;
    if (full) {
      seal();
    }
    open.add(tx);
  }

  /** The state as it is now becomes that of one revision. */
  void sealOpen() {
    if (!open.isEmpty()) {
      seal();
    }
  }

  private void seal() {
    open.seal();
    sealed.add(open);
    open = new CommitBatch(open.revision() + 1);
    tokens = 0;
  }

  /** Sends what has gathered, as far as it may leave. */
  void flush() {
    if (ended) {
      return;
    }
    if (sealed.isEmpty() && (inFlight.isEmpty() || machine.chance("commit-beside-another"))) {
      sealOpen();
    }
    while (!sealed.isEmpty() && inFlight.size() < MAX_IN_FLIGHT) {
      send(sealed.poll());
    }
  }

  private void send(CommitBatch commitBatch) {
    inFlight.add(commitBatch);
    commitBatch.sentAt(machine.nanos().getAsLong());
    int answers = commitBatch.answers();
    owned
        .commit(commitBatch.writes())
        .whenComplete(
            (result, thrown) ->
                listener.execute(answers, () -> completed(commitBatch, result, thrown)));
  }

  private void completed(CommitBatch commitBatch, CommitResult result, Throwable thrown) {
    if (ended) {
      return;
    }
    if (result != CommitResult.DONE) {
      listener.lost(thrown == null ? null : reason(thrown));
      return;
    }
    inFlight.remove(commitBatch);
    flush(); // first, so that the store works while the answers leave
    listener.durable(commitBatch);
  }

  private static Failure reason(Throwable thrown) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    return cause instanceof Failure known
        ? known
        : Failure.StoreUnavailable.outcomeUnknown("store", String.valueOf(thrown), thrown);
  }

  /** While full batches wait, more commands would only make the queue behind them longer. */
  boolean isCongested() {
    return !sealed.isEmpty();
  }

  /** True if all that was decided is durable. */
  boolean isEmpty() {
    return last() == null;
  }

  /** Runs when all that was decided until now is durable; at once if it is. */
  void whenDurable(Runnable task) {
    CommitBatch commitBatch = last();
    if (commitBatch == null) {
      task.run();
    } else {
      commitBatch.whenDurable(task);
    }
  }

  /** The newest batch that something decided now may rest on, or null. */
  private CommitBatch last() {
    if (!open.isEmpty()) {
      return open;
    }
    return sealed.isEmpty() ? inFlight.peekLast() : sealed.peekLast();
  }

  /** A token above all before it. */
  long nextToken() {
    if (tokens >> FencingTokens.INDEX_BITS != 0) {
      throw new IllegalStateException(tokens + " tokens in one command");
    }
    return FencingTokens.of(open.revision(), owned.shard(), tokens++);
  }

  /** Not below any token so far. */
  long tokenLimit() {
    return FencingTokens.of(open.revision(), owned.shard(), tokens) - 1;
  }

  /** Nothing more leaves, and nobody is told of what is in flight. */
  void end() {
    ended = true;
    sealed.clear();
    inFlight.clear();
  }
}
