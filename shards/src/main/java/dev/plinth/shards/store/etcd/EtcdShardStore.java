package dev.plinth.shards.store.etcd;

import dev.plinth.machine.Machine;
import dev.plinth.server.failure.Failure;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.ShardStore;
import io.etcd.jetcd.maintenance.AlarmType;
import io.etcd.jetcd.options.GetOption;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Shards in etcd 3.4 or later. A node claims shards under one etcd lease, its session; when that
 * ends, all its shards are free for others. Every commit is one transaction that has no effect
 * unless its claim still stands and the commit before it was the last.
 *
 * <p>While etcd does not answer, commits are sent again until the session's authority has passed;
 * only then do they fail, with their outcome unknown.
 */
public final class EtcdShardStore implements ShardStore {
  /** etcd takes 128 operations in a transaction; one is the shard's revision. */
  static final int MAX_WRITES = 127;

  private static final Duration HOUSEKEEPING = Duration.ofSeconds(5);
  private static final Duration SPACE_CHECK = Duration.ofSeconds(1);
  // A short session is for quick takeovers; it is no reason to give up a start early.
  private static final Duration START = Duration.ofSeconds(10);

  private static final String SLEPT =
      "this machine seems to have slept, and etcd has not answered since";

  private final EtcdCluster cluster;
  private final int shards;
  private final EtcdKeys etcdKeys;
  private final EtcdStoreContext etcdStoreContext;
  private final FailoverEtcdClient failoverEtcdClient;
  private final FailoverEtcdClient renewals;
  private final Machine machine;
  private final ScheduledExecutorService housekeeping;
  private final CommitBundler commitBundler;
  private final Claims claims;
  private final SessionKeeper keeper;
  private final Membership membership;
  private final SpaceAlarm space = new SpaceAlarm();
  private final AtomicBoolean closed = new AtomicBoolean();

  private EtcdShardStore(
      EtcdCluster cluster,
      String node,
      int shards,
      MeterRegistry registry,
      Machine machine,
      EtcdConnections connections) {
    EtcdSettings settings = cluster.settings();
    this.cluster = cluster;
    this.machine = machine;
    this.housekeeping = machine.scheduler("plinth-etcd-housekeeping");
    this.shards = shards;
    this.etcdKeys = new EtcdKeys(settings.prefix());
    this.etcdStoreContext =
        new EtcdStoreContext(
            settings, machine, machine.scheduler("plinth-etcd"), new StoreMetrics(registry));
    this.failoverEtcdClient = client(settings.requestTimeout(), connections);
    this.renewals = client(settings.renewalTimeout(), connections);
    this.commitBundler =
        new CommitBundler(
            failoverEtcdClient::txn,
            etcdKeys.bundles(),
            settings.commitsInFlight(),
            etcdStoreContext.metrics());
    Ownership ownership = new Ownership(failoverEtcdClient, etcdKeys, node);
    this.claims =
        new Claims(ownership, etcdStoreContext, (under, made) -> new EtcdShard(this, under, made));
    this.keeper =
        new SessionKeeper(new EtcdLeases(failoverEtcdClient, renewals), etcdStoreContext, claims);
    this.membership = new Membership(failoverEtcdClient, etcdKeys, node, keeper);
  }

  private FailoverEtcdClient client(Duration timeout, EtcdConnections connections) {
    return new FailoverEtcdClient(cluster.endpoints(), timeout, connections, machine, housekeeping);
  }

  /**
   * Opens a session, for which it waits 10 s, or longer if one lives longer.
   *
   * @param node what an operator reads as the owner of this node's shards
   * @throws StoreUnavailable if etcd cannot be reached or holds another number of shards
   */
  public static EtcdShardStore open(
      EtcdCluster cluster, String node, int shards, MeterRegistry registry) {
    return open(cluster, node, shards, registry, Machine.system());
  }

  /**
   * Like the other.
   *
   * @param machine whose wall clock is looked at only to learn that it slept
   */
  public static EtcdShardStore open(
      EtcdCluster cluster, String node, int shards, MeterRegistry registry, Machine machine) {
    return open(cluster, node, shards, registry, machine, EtcdConnections.network());
  }

  /** Like the other, over connections that are given. */
  public static EtcdShardStore open(
      EtcdCluster cluster,
      String node,
      int shards,
      MeterRegistry registry,
      Machine machine,
      EtcdConnections connections) {
    EtcdShardStore store =
        new EtcdShardStore(cluster, node, shards, registry, machine, connections);
    try {
      store.start();
      return store;
    } catch (StoreUnavailable e) {
      store.close();
      throw e;
    }
  }

  private void start() {
    // Before the session begins: its first renewal must not have to wait for a connection, nor the
    // first transaction, which decides whether we start, for classes that are loaded.
    CompletableFuture<?> renewing = renewals.call(via -> via.getKVClient().get(etcdKeys.shards()));
    CompletableFuture<?> reading = failoverEtcdClient.get(etcdKeys.shards(), GetOption.DEFAULT);
    await(CompletableFuture.allOf(renewing, reading), null, settleNanos());
    CompletableFuture<Boolean> first = keeper.start().thenApply(started -> true);
    long timeout = Math.max(START.toNanos(), etcdStoreContext.settings().sessionTtl().toNanos());
    if (!await(first, false, timeout)) {
      throw EtcdFailure.notApplied("no session at " + location(), keeper.lastFailure());
    }
    ShardCount.check(failoverEtcdClient, etcdKeys, shards);
    MemberSizes sizes =
        new MemberSizes(failoverEtcdClient, cluster, etcdStoreContext.metrics().registry());
    every(HOUSEKEEPING, sizes::measure);
    every(HOUSEKEEPING, claims::sweep);
    every(SPACE_CHECK, this::checkSpace);
    if (!etcdStoreContext.settings().compactionInterval().isZero()) {
      Compaction compaction =
          new Compaction(failoverEtcdClient, etcdKeys, etcdStoreContext.metrics());
      every(etcdStoreContext.settings().compactionInterval(), () -> compact(compaction));
    }
  }

  /** Waits for a result, at most for so long; otherwise there is another. */
  <T> T await(CompletableFuture<T> result, T otherwise, long nanos) {
    try {
      return machine.await(result, Duration.ofNanos(nanos));
    } catch (ExecutionException | TimeoutException e) {
      return otherwise;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return otherwise;
    }
  }

  List<Row> load(FencedTxns txns, int shard, BooleanSupplier mayGoOn) {
    return new PagedRowLoader(failoverEtcdClient, machine, txns, shard, mayGoOn).all();
  }

  long nanos() {
    return machine.nanos().getAsLong();
  }

  /** While nothing may be written, no write tells that it works again. */
  private void checkSpace() {
    if (space.isRaised()) {
      failoverEtcdClient
          .call(via -> via.getMaintenanceClient().listAlarms())
          .thenAccept(
              alarms -> {
                if (alarms.getAlarms().stream()
                    .noneMatch(alarm -> alarm.getAlarmType() == AlarmType.NOSPACE)) {
                  space.worked();
                }
              });
    }
  }

  /** One node does it: whoever owns the first shard. */
  private void compact(Compaction compaction) {
    if (claims.owns(0)) {
      compaction.run();
    } else {
      compaction.pause();
    }
  }

  private void every(Duration pause, Runnable pass) {
    long millis = pause.toMillis();
    housekeeping.scheduleWithFixedDelay(pass, 0, millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public int shards() {
    return shards;
  }

  @Override
  public int maxWrites() {
    return MAX_WRITES;
  }

  @Override
  public Optional<OwnedShard> claim(int shard) {
    Objects.checkIndex(shard, shards);
    try {
      Optional<EtcdShard> mine = claims.claim(shard);
      mine.ifPresent(made -> space.worked());
      return mine.map(made -> made);
    } catch (StoreUnavailable e) {
      EtcdFailure etcdFailure = EtcdFailure.of(e);
      space.record(etcdFailure);
      if (etcdFailure == EtcdFailure.LEASE_GONE) {
        keeper.doubt(keeper.session());
      }
      throw e;
    }
  }

  @Override
  public ClusterSnapshot layout() {
    return membership.layout();
  }

  @Override
  public void announce(String address) {
    membership.announce(address);
  }

  @Override
  public void withdraw() {
    membership.withdraw();
  }

  @Override
  public long authorityUntil() {
    NodeSession telling = claims.telling();
    ClockReading now = etcdStoreContext.now();
    if (telling.mayHaveSlept(now)) {
      keeper.slept(telling);
      return now.nanos();
    }
    return telling.authorityUntil();
  }

  @Override
  public boolean isClockTrusted() {
    return !claims.telling().mayHaveSlept(etcdStoreContext.now());
  }

  @Override
  public Optional<Failure> readOnly() {
    return space.refusal();
  }

  FencedTxns fenced(int shard, long epoch) {
    return new FencedTxns(failoverEtcdClient, etcdKeys, shard, epoch);
  }

  CommitSender commits(FencedTxns txns, NodeSession nodeSession, long revision) {
    return new CommitSender(
        txns.through(commitBundler), nodeSession, etcdStoreContext, space, revision);
  }

  /** How long a shard that is given up waits for its commits. */
  long settleNanos() {
    return etcdStoreContext.settings().requestTimeout().toNanos() * 2;
  }

  /**
   * A claim whose commits etcd refused for want of space still stands, and another could not be
   * made: so the next goes on under its epoch. Not if anything sent under it may yet be applied.
   */
  Optional<EtcdShard> reclaim(EtcdShard shard) {
    if (!space.isRaised()) {
      return Optional.empty();
    }
    OptionalLong last = await(shard.commits().standing(), OptionalLong.empty(), settleNanos());
    return last.isPresent() ? claims.reclaim(shard, last.getAsLong()) : Optional.empty();
  }

  /** Where the key cannot be deleted now, the sweep does it, or the end of the session. */
  void released(EtcdShard shard) {
    if (!shard.session().isExpired() && !closed.get()) {
      await(shard.txns().delete(), null, settleNanos());
    }
    claims.forget(shard);
  }

  @Override
  public String name() {
    return "coordination";
  }

  @Override
  public String kind() {
    return EtcdFailure.ENGINE;
  }

  @Override
  public String location() {
    return String.join(",", cluster.endpoints());
  }

  @Override
  public Optional<String> unavailableReason() {
    if (keeper.session().hasAuthority(etcdStoreContext.nanos().getAsLong())) {
      return isClockTrusted() ? space.unavailableReason() : Optional.of(SLEPT);
    }
    Throwable failure = keeper.lastFailure();
    return Optional.of(
        "no session with etcd" + (failure == null ? "" : ": " + EtcdFailure.reason(failure)));
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    keeper.stop();
    long deadline = nanos() + settleNanos();
    claims.all().forEach(shard -> shard.settle(deadline - nanos()));
    NodeSession nodeSession = keeper.session();
    if (nodeSession != null) {
      // Deletes the keys of all its shards at once.
      await(
          failoverEtcdClient.call(via -> via.getLeaseClient().revoke(nodeSession.lease())),
          null,
          settleNanos());
      nodeSession.end(nanos());
    }
    end();
  }

  /** Ends without a word to etcd, as a crash would: for tests. */
  public void abandon() {
    if (closed.compareAndSet(false, true)) {
      keeper.stop();
      end();
      keeper.session().end(nanos());
    }
  }

  private void end() {
    failoverEtcdClient.close();
    renewals.close();
    housekeeping.shutdownNow();
    claims.all().forEach(shard -> shard.commits().cut("the store was closed"));
    etcdStoreContext.scheduler().shutdownNow();
  }
}
