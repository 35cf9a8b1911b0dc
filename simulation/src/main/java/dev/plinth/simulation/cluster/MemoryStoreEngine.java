package dev.plinth.simulation.cluster;

import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.ShardStore.ClusterSnapshot;
import dev.plinth.shards.store.ShardStore.Node;
import dev.plinth.shards.store.ShardStore.Owner;
import dev.plinth.shards.store.Write;
import dev.plinth.simulation.kernel.ScheduledEvent;
import dev.plinth.simulation.kernel.Simulation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Shards and sessions as an engine outside of all nodes would keep them: everything that reached it
 * is durable. Sessions end when nothing was heard of them for their time.
 */
final class MemoryStoreEngine {
  static final String COMPUTER = "store";

  private static final long UNANSWERED_NANOS = 5_000_000_000L;

  private static final class StoredShard {
    final Map<String, byte[]> rows = new TreeMap<>();
    Optional<String> owner = Optional.empty(); // a session
    long epoch;
    long revision;
    long claimedAt;
  }

  private static final class StoredSession {
    final String id;
    final String name;
    Optional<String> address = Optional.empty();
    ScheduledEvent expiry;

    StoredSession(String id, String name) {
      this.id = id;
      this.name = name;
    }
  }

  /** What a claim found. */
  record Claimed(long epoch, long revision, List<Row> rows) {}

  private final Simulation simulation;
  private final List<StoredShard> shards = new ArrayList<>();
  private final Map<String, StoredSession> sessions = new LinkedHashMap<>();
  private final long sessionNanos;

  MemoryStoreEngine(Simulation simulation, int shards, long sessionNanos) {
    this.simulation = simulation;
    this.sessionNanos = sessionNanos;
    for (int i = 0; i < shards; i++) {
      this.shards.add(new StoredShard());
    }
  }

  int shards() {
    return shards.size();
  }

  long sessionNanos() {
    return sessionNanos;
  }

  /** Opens a session or keeps it; false if it was there and is over. */
  boolean keep(String id, String name, boolean opens) {
    StoredSession session = sessions.get(id);
    if (session == null && !opens) {
      return false;
    }
    if (session == null) {
      session = new StoredSession(id, name);
      sessions.put(id, session);
    } else {
      session.expiry.cancel();
    }
    session.expiry = simulation.world().after(sessionNanos, () -> end(id));
    return true;
  }

  void end(String id) {
    StoredSession session = sessions.remove(id);
    if (session != null) {
      session.expiry.cancel();
      simulation.trace(COMPUTER, "session " + id + " is over");
      shards.stream()
          .filter(shard -> shard.owner.equals(Optional.of(id)))
          .forEach(shard -> shard.owner = Optional.empty());
    }
  }

  void announce(String id, Optional<String> address) {
    if (sessions.containsKey(id)) {
      sessions.get(id).address = address;
    }
  }

  Optional<Claimed> claim(int number, String session) {
    StoredShard shard = shards.get(number);
    // By the same session once more: the answer to its first claim, or its release, was lost.
    boolean free = shard.owner.isEmpty() || shard.owner.get().equals(session);
    if (!free || !sessions.containsKey(session)) {
      return Optional.empty();
    }
    shard.owner = Optional.of(session);
    shard.epoch++;
    shard.claimedAt = simulation.now();
    simulation.trace(COMPUTER, session + " claims " + number + " epoch " + shard.epoch);
    List<Row> rows = new ArrayList<>();
    shard.rows.forEach((key, value) -> rows.add(new Row(key, value.clone())));
    return Optional.of(new Claimed(shard.epoch, shard.revision, rows));
  }

  void release(int number, String session, long epoch) {
    StoredShard shard = shards.get(number);
    if (owns(shard, session, epoch)) {
      shard.owner = Optional.empty();
    }
  }

  /**
   * Releases what a session owns without knowing: an answer to its claim, or a release, was lost.
   */
  void releaseAllBut(Map<Integer, Long> known, String session) {
    for (int i = 0; i < shards.size(); i++) {
      StoredShard shard = shards.get(i);
      if (shard.owner.equals(Optional.of(session))
          && !Long.valueOf(shard.epoch).equals(known.get(i))
          && simulation.now() - shard.claimedAt > UNANSWERED_NANOS) {
        shard.owner = Optional.empty();
      }
    }
  }

  private static boolean owns(StoredShard shard, String session, long epoch) {
    return shard.epoch == epoch && shard.owner.equals(Optional.of(session));
  }

  /** Applies a commit, or finds that it was applied before. */
  CommitResult commit(int number, String session, long epoch, long revision, List<Write> writes) {
    StoredShard shard = shards.get(number);
    if (shard.epoch == epoch && shard.revision >= revision) {
      return CommitResult.DONE;
    }
    if (!owns(shard, session, epoch) || shard.revision != revision - 1) {
      return CommitResult.DEPOSED;
    }
    shard.revision = revision;
    for (Write write : writes) {
      if (write.isDelete()) {
        shard.rows.remove(write.key());
      } else {
        shard.rows.put(write.key(), write.value().clone());
      }
    }
    simulation.trace(
        COMPUTER, "commit " + number + "/" + epoch + "/" + revision + " of " + writes.size());
    return CommitResult.DONE;
  }

  ClusterSnapshot layout(String asking) {
    List<Node> nodes = new ArrayList<>();
    sessions.values().stream()
        .filter(session -> session.address.isPresent())
        .forEach(session -> nodes.add(node(session, asking)));
    List<Owner> owners = new ArrayList<>();
    for (int i = 0; i < shards.size(); i++) {
      StoredShard shard = shards.get(i);
      if (shard.owner.isPresent()) {
        Node node = node(sessions.get(shard.owner.get()), asking);
        owners.add(new Owner(i, node, shard.epoch, shard.revision));
      }
    }
    return new ClusterSnapshot(nodes, owners);
  }

  private static Node node(StoredSession session, String asking) {
    return new Node(
        session.id, session.name, session.address.orElse(""), session.id.equals(asking));
  }
}
