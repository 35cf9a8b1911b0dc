package dev.plinth.id.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.ExpectedVersion;
import dev.plinth.shards.RowReader;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The namespaces of one shard. Every call refuses by throwing before it changes anything. */
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
    RowReader.each(
        rows, IdRows.COUNTERS, row -> counters.put(row.key(), IdRows.Counter.decode(row)));
    RowReader.each(
        rows,
        IdRows.DEFINITIONS,
        row -> {
          IdRows.Counter counter = counters.getOrDefault(row.key(), IdRows.Counter.NEW);
          long version = row.number();
          add(row.key(), IdRows.definition(row), version, counter);
        });
    RowReader.each(
        rows,
        IdRows.WORKERS,
        row -> {
          String[] path = row.key().split("/");
          IdRows.Worker worker = IdRows.Worker.decode(row);
          all.get(path[0]).workers().restore(Integer.parseInt(path[1]), worker, tx);
        });
    RowReader.each(rows, IdRows.MINTED, row -> all.get(row.key()).minted(row.number()));
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
    ExpectedVersion.check("namespace " + name, expected, version);
    Namespace space = known == null ? add(name, namespaceDefinition, 0, IdRows.Counter.NEW) : known;
    space.define(namespaceDefinition, tx);
    return space.status(tx);
  }

  public Allocation<AllocatedIds> allocate(String name, int count, Tx tx) {
    return require(name).allocate(count, tx);
  }

  /**
   * @param want 0 for what the rate calls for
   */
  public Allocation<RangeView> leaseRange(String name, long want, Tx tx) {
    return require(name).sequence().lease(want, tx);
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
