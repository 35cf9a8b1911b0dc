package dev.plinth.shards;

import dev.plinth.server.failure.Failure;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.Write;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** A store in memory whose commits end when, and as, the test says. */
final class HeldStore implements ShardStore {
  private record Held(List<Write> writes, CompletableFuture<OwnedShard.CommitResult> done) {}

  final Map<String, byte[]> rows = new TreeMap<>();
  final List<Integer> commitSizes = new ArrayList<>();
  private final ArrayDeque<Held> held = new ArrayDeque<>();
  private long epoch;
  private long revision;
  long authorityUntil = Long.MAX_VALUE / 2;
  int maxWrites = Integer.MAX_VALUE;
  boolean lost;
  Runnable whenAuthorityIsRead = () -> {};
  boolean clockTrusted = true;
  Failure readOnly;

  int underWay() {
    return held.size();
  }

  /** The oldest commit under way is durable. */
  void finishOne() {
    Held first = held.remove();
    for (Write write : first.writes) {
      if (write.isDelete()) {
        rows.remove(write.key());
      } else {
        rows.put(write.key(), write.value());
      }
    }
    revision++;
    first.done.complete(OwnedShard.CommitResult.DONE);
  }

  void finishAll() {
    while (!held.isEmpty()) {
      finishOne();
    }
  }

  void depose() {
    held.remove().done.complete(OwnedShard.CommitResult.DEPOSED);
  }

  void fail(RuntimeException why) {
    held.remove().done.completeExceptionally(why);
  }

  @Override
  public int shards() {
    return 1;
  }

  @Override
  public int maxWrites() {
    return maxWrites;
  }

  @Override
  public Optional<OwnedShard> claim(int shard) {
    long mine = ++epoch;
    long from = revision;
    return Optional.of(
        new OwnedShard() {
          @Override
          public int shard() {
            return shard;
          }

          @Override
          public long epoch() {
            return mine;
          }

          @Override
          public long revision() {
            return from;
          }

          @Override
          public List<Row> load() {
            return rows.entrySet().stream().map(e -> new Row(e.getKey(), e.getValue())).toList();
          }

          @Override
          public CompletableFuture<CommitResult> commit(List<Write> writes) {
            Held commit = new Held(writes, new CompletableFuture<>());
            held.add(commit);
            commitSizes.add(writes.size());
            return commit.done;
          }

          @Override
          public boolean isLost() {
            return lost;
          }

          @Override
          public void release() {}
        });
  }

  @Override
  public ClusterSnapshot layout() {
    return new ClusterSnapshot(List.of(), List.of());
  }

  @Override
  public void announce(String address) {}

  @Override
  public void withdraw() {}

  @Override
  public long authorityUntil() {
    whenAuthorityIsRead.run();
    return authorityUntil;
  }

  @Override
  public boolean isClockTrusted() {
    return clockTrusted;
  }

  @Override
  public Optional<Failure> readOnly() {
    return Optional.ofNullable(readOnly);
  }

  @Override
  public String name() {
    return "coordination";
  }

  @Override
  public String kind() {
    return "test";
  }

  @Override
  public String location() {
    return "memory";
  }

  @Override
  public Optional<String> unavailableReason() {
    return Optional.empty();
  }

  @Override
  public void close() {}
}
