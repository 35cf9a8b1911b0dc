package dev.plinth.shards;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** An engine in memory that several nodes share, each through a store of its own. */
public final class MemoryCluster {
  private final int shards;
  private final List<Member> members = new ArrayList<>();
  private final Map<Integer, Claim> claims = new TreeMap<>();
  private final Map<Integer, TreeMap<String, byte[]>> rows = new TreeMap<>();
  private final Map<Integer, Long> revisions = new TreeMap<>();
  private long epochs;

  public MemoryCluster(int shards) {
    this.shards = shards;
  }

  public Member open(String name) {
    return new Member(name);
  }

  /** One node's store. */
  public final class Member implements ShardStore {
    private final String name;
    private final String id;
    private String address = "";
    private boolean dead;
    private int errors;

    private Member(String name) {
      this.name = name;
      this.id = name + "#" + epochs++;
    }

    /** Its session ends, and whatever it had with it; it does not know. */
    public void kill() {
      synchronized (MemoryCluster.this) {
        dead = true;
        members.remove(this);
        claims.values().removeIf(claim -> claim.by == this);
      }
    }

    /** So many looks end with an Error. */
    public void failLooks(int count) {
      synchronized (MemoryCluster.this) {
        errors = count;
      }
    }

    /** Looks that are still to end with an Error. */
    public int failingLooks() {
      synchronized (MemoryCluster.this) {
        return errors;
      }
    }

    @Override
    public ClusterSnapshot layout() {
      synchronized (MemoryCluster.this) {
        if (errors > 0) {
          errors--;
          throw new StackOverflowError("as a test wants it");
        }
        if (dead) {
          throw StoreUnavailable.notApplied("memory", "no session", null);
        }
        return new ClusterSnapshot(
            members.stream().map(this::node).toList(),
            claims.values().stream()
                .map(c -> new Owner(c.shard, node(c.by), c.epoch, c.revision()))
                .toList());
      }
    }

    private Node node(Member member) {
      return new Node(member.id, member.name, member.address, member == this);
    }

    @Override
    public void announce(String at) {
      synchronized (MemoryCluster.this) {
        address = at;
        members.remove(this);
        members.add(this);
      }
    }

    @Override
    public void withdraw() {
      synchronized (MemoryCluster.this) {
        members.remove(this);
      }
    }

    @Override
    public Optional<OwnedShard> claim(int shard) {
      synchronized (MemoryCluster.this) {
        if (dead || claims.containsKey(shard)) {
          return Optional.empty();
        }
        Claim claim = new Claim(this, shard, ++epochs);
        claims.put(shard, claim);
        return Optional.of(claim);
      }
    }

    @Override
    public int shards() {
      return shards;
    }

    @Override
    public int maxWrites() {
      return 100;
    }

    @Override
    public long authorityUntil() {
      return System.nanoTime() + (dead ? -1 : Long.MAX_VALUE / 2);
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
      return dead ? Optional.of("no session") : Optional.empty();
    }

    @Override
    public void close() {
      kill();
    }
  }

  private final class Claim implements OwnedShard {
    private final Member by;
    private final int shard;
    private final long epoch;

    Claim(Member by, int shard, long epoch) {
      this.by = by;
      this.shard = shard;
      this.epoch = epoch;
    }

    @Override
    public int shard() {
      return shard;
    }

    @Override
    public long epoch() {
      return epoch;
    }

    @Override
    public long revision() {
      synchronized (MemoryCluster.this) {
        return revisions.getOrDefault(shard, 0L);
      }
    }

    @Override
    public List<Row> load() {
      synchronized (MemoryCluster.this) {
        return rows.getOrDefault(shard, new TreeMap<>()).entrySet().stream()
            .map(e -> new Row(e.getKey(), e.getValue()))
            .toList();
      }
    }

    @Override
    public CompletableFuture<CommitResult> commit(List<Write> writes) {
      synchronized (MemoryCluster.this) {
        if (claims.get(shard) != this) {
          return CompletableFuture.completedFuture(CommitResult.DEPOSED);
        }
        TreeMap<String, byte[]> all = rows.computeIfAbsent(shard, s -> new TreeMap<>());
        writes.forEach(
            write -> {
              if (write.isDelete()) {
                all.remove(write.key());
              } else {
                all.put(write.key(), write.value());
              }
            });
        revisions.merge(shard, 1L, Long::sum);
      }
      return CompletableFuture.supplyAsync(() -> CommitResult.DONE);
    }

    @Override
    public void release() {
      synchronized (MemoryCluster.this) {
        claims.remove(shard, this);
      }
    }

    @Override
    public boolean isLost() {
      synchronized (MemoryCluster.this) {
        return claims.get(shard) != this;
      }
    }
  }
}
