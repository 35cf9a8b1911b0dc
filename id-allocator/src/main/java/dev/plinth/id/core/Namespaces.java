package dev.plinth.id.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The namespaces of one shard. Every call refuses by throwing before it changes anything. What is
 * to be remembered by a request id is written, so that the answer is kept with a commit.
 */
public final class Namespaces {
  /** Who the server is where it makes snowflakes itself. */
  public static final String SERVER = "plinth";

  private final InstantSource clock;
  private final IdEvents events;
  private final TreeMap<String, Namespace> all = new TreeMap<>();

  Namespaces(InstantSource clock, IdEvents events) {
    this.clock = clock;
    this.events = events;
  }

  void load(List<Row> rows, Tx tx) {
    Map<String, IdRows.Counter> counters = new HashMap<>();
    for (Row row : rows) {
      if (row.key().startsWith(IdRows.COUNTERS)) {
        String name = row.key().substring(IdRows.COUNTERS.length());
        counters.put(name, IdRows.Counter.of(IdRows.words(row.key(), row.value())));
      }
    }
    for (Row row : rows) {
      if (row.key().startsWith(IdRows.DEFINITIONS)) {
        String name = row.key().substring(IdRows.DEFINITIONS.length());
        String[] words = IdRows.words(row.key(), row.value());
        IdRows.Counter counter = counters.getOrDefault(name, IdRows.Counter.NEW);
        add(name, IdRows.definition(words), IdRows.version(words), counter);
      }
    }
    for (Row row : rows) {
      if (row.key().startsWith(IdRows.WORKERS)) {
        String[] path = row.key().substring(IdRows.WORKERS.length()).split("/");
        IdRows.Worker worker = IdRows.Worker.of(IdRows.words(row.key(), row.value()));
        all.get(path[0]).workers().restore(Integer.parseInt(path[1]), worker, tx);
      } else if (row.key().startsWith(IdRows.MINTED)) {
        String name = row.key().substring(IdRows.MINTED.length());
        all.get(name).minted(IdRows.minted(IdRows.words(row.key(), row.value())));
      }
    }
  }

  private Namespace add(
      String name, NamespaceDefinition namespaceDefinition, long version, IdRows.Counter counter) {
    Namespace made = Namespace.of(name, namespaceDefinition, version, counter, clock, events);
    all.put(name, made);
    return made;
  }

  /**
   * Makes a namespace or replaces its definition.
   *
   * @param expected the version it must have; 0 is that of one that is not there
   */
  public IdNamespaceStatus put(
      String name, NamespaceDefinition namespaceDefinition, Optional<Long> expected, Tx tx) {
    Namespace known = all.get(name);
    long version = known == null ? 0 : known.version();
    if (expected.isPresent() && expected.get() != version) {
      throw new Failure.Conflict(
          ErrorReason.ERROR_REASON_REVISION_CONFLICT,
          "namespace %s has version %d (expected: %d)".formatted(name, version, expected.get()),
          Map.of("current", String.valueOf(version), "expected", String.valueOf(expected.get())));
    }
    Namespace space = known == null ? add(name, namespaceDefinition, 0, IdRows.Counter.NEW) : known;
    space.define(namespaceDefinition, tx);
    return space.status(tx);
  }

  public Allocation<AllocatedIds> allocate(String name, int count, boolean remember, Tx tx) {
    return require(name).allocate(count, remember, tx);
  }

  /**
   * @param want 0 for what the rate calls for
   */
  public Allocation<RangeView> leaseRange(String name, long want, boolean remember, Tx tx) {
    return require(name).sequence().lease(want, remember, tx);
  }

  public ReturnRangeResult returnRange(String name, String leaseId, long used, Tx tx) {
    return require(name).sequence().returnRange(leaseId, used, tx);
  }

  public LeaseWorkerResult leaseWorker(String name, String owner, Tx tx) {
    return require(name).workers().lease(owner, tx);
  }

  /** Empty if it is not held in this epoch any more. */
  public Allocation<Optional<WorkerView>> renewWorker(String name, int worker, long epoch, Tx tx) {
    return require(name).workers().renew(worker, epoch, tx);
  }

  /**
   * False if it is not held in this epoch any more.
   *
   * @param lastUsedMs 0 if that is not known
   */
  public boolean releaseWorker(String name, int worker, long epoch, long lastUsedMs, Tx tx) {
    return require(name).workers().release(worker, epoch, lastUsedMs, tx);
  }

  public ParsedId parse(String name, long id) {
    return require(name).parse(id);
  }

  public IdNamespaceStatus status(String name, Tx tx) {
    return require(name).status(tx);
  }

  /** In the order of names, from after one on. */
  public List<IdNamespaceStatus> list(String after, int most, Tx tx) {
    return all.tailMap(after, false).values().stream()
        .limit(most)
        .map(space -> space.status(tx))
        .toList();
  }

  /** Moves a counter forward, so that its next id is at or above this. */
  public IdNamespaceStatus advance(String name, long to, Tx tx) {
    Namespace space = require(name);
    space.sequence().advance(to, tx);
    return space.status(tx);
  }

  private Namespace require(String name) {
    Namespace known = all.get(name);
    if (known == null) {
      throw new Failure.Missing(
          ErrorReason.ERROR_REASON_NAMESPACE_UNKNOWN, new Failure.Resource("namespace", name));
    }
    return known;
  }

  void removeFromGauges() {
    all.values().forEach(Namespace::uncount);
  }
}
