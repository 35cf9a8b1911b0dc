package dev.plinth.bench.registry;

import dev.plinth.testkit.engine.EngineNode;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** What one writes first: a lease of etcd for every member, and watches of a prefix. */
final class EtcdMembers implements MemberSystem {
  private static final String PREFIX = "watched/";
  private static final int AT_ONCE = 256;
  private static final ByteSequence VALUE = bytes("{\"zone\": \"a\", \"grpc\": \"10.0.0.7:8080\"}");

  private final EngineNode etcd;
  private final Client client;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final List<Watch.Watcher> watchers = new ArrayList<>();
  private volatile Arrivals arrivals;

  EtcdMembers(EngineNode etcd) {
    this.etcd = etcd;
    client = Client.builder().endpoints("http://" + etcd.hostPort()).build();
  }

  private static ByteSequence bytes(String text) {
    return ByteSequence.from(text, StandardCharsets.UTF_8);
  }

  @Override
  public void keepAlive(int sessions, int membersEach) throws Exception {
    List<CompletableFuture<?>> open = new ArrayList<>();
    for (int i = 0; i < sessions * membersEach; i++) {
      open.add(keepAlive("member/" + i));
      if (open.size() == AT_ONCE) {
        CompletableFuture.allOf(open.toArray(CompletableFuture[]::new)).get();
        open.clear();
      }
    }
    CompletableFuture.allOf(open.toArray(CompletableFuture[]::new)).get();
    check();
  }

  private CompletableFuture<?> keepAlive(String key) {
    return client
        .getLeaseClient()
        .grant(PlinthMembers.TTL.toSeconds())
        .thenCompose(
            lease -> {
              PutOption bound = PutOption.builder().withLeaseId(lease.getID()).build();
              client.getLeaseClient().keepAlive(lease.getID(), new Beats());
              return client.getKVClient().put(bytes(key), VALUE, bound);
            });
  }

  private final class Beats implements StreamObserver<LeaseKeepAliveResponse> {
    @Override
    public void onNext(LeaseKeepAliveResponse answer) {
      if (answer.getTTL() <= 0) {
        onError(new IllegalStateException("a lease ran out"));
      }
    }

    @Override
    public void onError(Throwable thrown) {
      failure.compareAndSet(null, thrown);
    }

    @Override
    public void onCompleted() {}
  }

  private void check() {
    if (failure.get() != null) {
      throw new IllegalStateException("a lease failed", failure.get());
    }
  }

  @Override
  public double cpuSeconds() {
    check();
    return CpuTime.seconds(etcd.pid().orElseThrow());
  }

  @Override
  public void fill(int members) throws Exception {
    for (int i = 0; i < members; i++) {
      client.getKVClient().put(bytes(PREFIX + i), VALUE).get();
    }
  }

  /** A list of the prefix, and a watch from its revision on. */
  @Override
  public void watch(int count) throws Exception {
    GetOption all = GetOption.builder().isPrefix(true).build();
    List<CompletableFuture<?>> open = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      open.add(
          client
              .getKVClient()
              .get(bytes(PREFIX), all)
              .thenAccept(
                  list -> {
                    WatchOption after =
                        WatchOption.builder()
                            .isPrefix(true)
                            .withRevision(list.getHeader().getRevision() + 1)
                            .build();
                    Watch.Watcher made =
                        client
                            .getWatchClient()
                            .watch(bytes(PREFIX), after, seen -> arrivals.seen(number));
                    synchronized (watchers) {
                      watchers.add(made);
                    }
                  }));
      if (open.size() == AT_ONCE) {
        CompletableFuture.allOf(open.toArray(CompletableFuture[]::new)).get(2, TimeUnit.MINUTES);
        open.clear();
      }
    }
    CompletableFuture.allOf(open.toArray(CompletableFuture[]::new)).get(2, TimeUnit.MINUTES);
  }

  @Override
  public void cutWatches() {
    synchronized (watchers) {
      watchers.forEach(Watch.Watcher::close);
      watchers.clear();
    }
  }

  @Override
  public void change(Arrivals expected) throws Exception {
    arrivals = expected;
    client.getKVClient().put(bytes(PREFIX + 0), VALUE).get();
  }

  @Override
  public void close() {
    cutWatches();
    client.close();
  }
}
