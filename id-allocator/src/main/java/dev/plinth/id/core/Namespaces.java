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
    Map<String, Rows.Counter> counters = new HashMap<>();
    for (Row row : rows) {
      if (row.key().startsWith(Rows.COUNTERS)) {
        String name = row.key().substring(Rows.COUNTERS.length());
        counters.put(name, Rows.Counter.of(Rows.words(row.key(), row.value())));
      }
    }
    for (Row row : rows) {
      if (row.key().startsWith(Rows.DEFINITIONS)) {
        String name = row.key().substring(Rows.DEFINITIONS.length());
        String[] words = Rows.words(row.key(), row.value());
        Rows.Counter counter = counters.getOrDefault(name, Rows.Counter.NEW);
        add(name, Rows.definition(words), Rows.version(words), counter);
      }
    }
    for (Row row : rows) {
      if (row.key().startsWith(Rows.WORKERS)) {
        String[] path = row.key().substring(Rows.WORKERS.length()).split("/");
        Rows.Worker worker = Rows.Worker.of(Rows.words(row.key(), row.value()));
        all.get(path[0]).workers().restore(Integer.parseInt(path[1]), worker, tx);
      } else if (row.key().startsWith(Rows.MINTED)) {
        String name = row.key().substring(Rows.MINTED.length());
        all.get(name).minted(Rows.minted(Rows.words(row.key(), row.value())));
      }
    }
  }

  private Namespace add(String name, Definition definition, long version, Rows.Counter counter) {
    Namespace made = Namespace.of(name, definition, version, counter, clock, events);
    all.put(name, made);
    return made;
  }

  /**
   * Makes a namespace or replaces its definition.
   *
   * @param expected the version it must have; 0 is that of one that is not there
   */
  public Status put(String name, Definition definition, Optional<Long> expected, Tx tx) {
    Namespace known = all.get(name);
    long version = known == null ? 0 : known.version();
    if (expected.isPresent() && expected.get() != version) {
      throw new Failure.Conflict(
          ErrorReason.ERROR_REASON_REVISION_CONFLICT,
          "namespace %s has version %d (expected: %d)".formatted(name, version, expected.get()),
          Map.of("current", String.valueOf(version), "expected", String.valueOf(expected.get())));
    }
    Namespace space = known == null ? add(name, definition, 0, Rows.Counter.NEW) : known;
    space.define(definition, tx);
    return space.status(tx);
  }

  public Grant<Ids> allocate(String name, int count, boolean remember, Tx tx) {
    return require(name).allocate(count, remember, tx);
  }

  /**
   * @param want 0 for what the rate calls for
   */
  public Grant<RangeView> leaseRange(String name, long want, boolean remember, Tx tx) {
    return require(name).sequence().lease(want, remember, tx);
  }

  public Returned returnRange(String name, String leaseId, long used, Tx tx) {
    return require(name).sequence().giveBack(leaseId, used, tx);
  }

  public LeasedWorker leaseWorker(String name, String owner, Tx tx) {
    return require(name).workers().lease(owner, tx);
  }

  /** Empty if it is not held in this epoch any more. */
  public Grant<Optional<WorkerView>> renewWorker(String name, int worker, long epoch, Tx tx) {
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

  public Parsed parse(String name, long id) {
    return require(name).parse(id);
  }

  public Status status(String name, Tx tx) {
    return require(name).status(tx);
  }

  /** In the order of names, from after one on. */
  public List<Status> list(String after, int most, Tx tx) {
    return all.tailMap(after, false).values().stream()
        .limit(most)
        .map(space -> space.status(tx))
        .toList();
  }

  /** Moves a counter forward, so that its next id is at or above this. */
  public Status advance(String name, long to, Tx tx) {
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

  void uncount() {
    all.values().forEach(Namespace::uncount);
  }
}
