package dev.plinth.shards.store.etcd;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * What this node has claimed, and under which session.
 *
 * <p>Owners go by one authority for all shards. So after a session was lost, that of the next is
 * not told before every claim of the lost one is released: until then, an owner that does not know
 * of the loss would take it for its own.
 */
final class Claims implements SessionKeeper.Listener {
  private static final Logger log = System.getLogger("plinth.etcd");

  private final Ownership ownership;
  private final EtcdStoreContext etcdStoreContext;
  private final BiFunction<NodeSession, Ownership.Claimed, EtcdShard> factory;
  private final Map<Integer, EtcdShard> claimed = new TreeMap<>();
  private final Set<Integer> inFlight = new HashSet<>();
  private NodeSession nodeSession;
  private volatile NodeSession telling;

  Claims(
      Ownership ownership,
      EtcdStoreContext etcdStoreContext,
      BiFunction<NodeSession, Ownership.Claimed, EtcdShard> factory) {
    this.ownership = ownership;
    this.etcdStoreContext = etcdStoreContext;
    this.factory = factory;
  }

  @Override
  public synchronized void granted(NodeSession next) {
    nodeSession = next;
    complete();
  }

  @Override
  public void lost(NodeSession lost, String why) {
    complete();
    List<EtcdShard> gone = all();
    List<Integer> numbers = gone.stream().map(EtcdShard::shard).toList();
    log.log(Level.WARNING, "the session is lost, and shards " + numbers + ": " + why);
    etcdStoreContext.metrics().sessionLost();
    gone.forEach(shard -> shard.commits().lose());
  }

  private synchronized void complete() {
    telling =
        claimed.values().stream()
            .map(EtcdShard::session)
            .filter(NodeSession::isExpired)
            .findFirst()
            .orElse(nodeSession);
  }

  /** The session whose authority counts for all shards. */
  NodeSession telling() {
    return telling;
  }

  Optional<EtcdShard> claim(int shard) {
    Optional<NodeSession> under = begin(shard);
    try {
      return under.flatMap(
          current -> ownership.claim(shard, current).map(made -> take(current, made)));
    } finally {
      under.ifPresent(current -> end(shard));
    }
  }

  private synchronized Optional<NodeSession> begin(int shard) {
    EtcdShard before = claimed.get(shard);
    if (before != null && !before.isLost() || inFlight.contains(shard)) {
      return Optional.empty();
    }
    if (!nodeSession.hasAuthority(etcdStoreContext.nanos().getAsLong())) {
      throw EtcdFailure.notApplied("no session to claim shard " + shard + " under", null);
    }
    forget(before); // who claims again has no more use for it
    inFlight.add(shard);
    return Optional.of(nodeSession);
  }

  private synchronized void end(int shard) {
    inFlight.remove(shard);
  }

  private synchronized EtcdShard take(NodeSession under, Ownership.Claimed made) {
    if (!under.hasAuthority(etcdStoreContext.nanos().getAsLong())) {
      ownership.delete(made.shard(), made.epoch());
      throw EtcdFailure.notApplied("shard " + made.shard() + " was claimed too late", null);
    }
    EtcdShard mine = factory.apply(under, made);
    claimed.put(made.shard(), mine);
    return mine;
  }

  /** Puts another in the place of a claim that still stands; empty where it does not. */
  synchronized Optional<EtcdShard> reclaim(EtcdShard before, long revision) {
    if (before.session().isExpired() || claimed.get(before.shard()) != before) {
      return Optional.empty();
    }
    Ownership.Claimed same = new Ownership.Claimed(before.shard(), before.epoch(), revision);
    return Optional.of(take(before.session(), same));
  }

  synchronized void forget(EtcdShard shard) {
    if (shard != null && claimed.remove(shard.shard(), shard)) {
      complete();
    }
  }

  synchronized List<EtcdShard> all() {
    return List.copyOf(claimed.values());
  }

  synchronized boolean owns(int shard) {
    return claimed.containsKey(shard) && !claimed.get(shard).isLost();
  }

  /** Deletes keys that say we own a shard which nobody here serves. */
  void sweep() {
    NodeSession current = current();
    ownership
        .of(current)
        .thenAccept(
            owners ->
                owners.stream()
                    .filter(owner -> !isKnown(owner.shard(), owner.epoch()))
                    .forEach(owner -> ownership.delete(owner.shard(), owner.epoch())));
  }

  private synchronized NodeSession current() {
    return nodeSession;
  }

  private synchronized boolean isKnown(int shard, long epoch) {
    EtcdShard known = claimed.get(shard);
    return inFlight.contains(shard) || known != null && known.epoch() == epoch;
  }
}
