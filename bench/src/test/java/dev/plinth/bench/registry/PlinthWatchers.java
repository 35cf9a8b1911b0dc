package dev.plinth.bench.registry;

import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberEvent;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.registry.v1.WatchMembersRequest;
import dev.plinth.registry.v1.WatchMembersResponse;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Watch streams over a few connections. */
final class PlinthWatchers implements AutoCloseable {
  private static final int STREAMS_EACH = 500;
  private static final WatchMembersRequest REQUEST =
      WatchMembersRequest.newBuilder().setNamespace(PlinthMembers.WATCHED).setGroup("g").build();

  private final String changing;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final CountDownLatch snapshots;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile Arrivals arrivals;
  private volatile int weight = -1;

  PlinthWatchers(int port, int count, String changing) {
    this.changing = changing;
    snapshots = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      if (i % STREAMS_EACH == 0) {
        channels.add(
            ManagedChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .directExecutor()
                .build());
      }
      RegistryServiceGrpc.newStub(channels.get(channels.size() - 1))
          .watchMembers(REQUEST, new Watcher(i));
    }
  }

  void expect(Arrivals expected, int newWeight) {
    arrivals = expected;
    weight = newWeight;
  }

  void awaitSnapshots() throws InterruptedException {
    if (!snapshots.await(3, TimeUnit.MINUTES)) {
      throw new IllegalStateException(
          snapshots.getCount() + " watchers got no snapshot", failure.get());
    }
    if (failure.get() != null) {
      throw new IllegalStateException("a watch failed", failure.get());
    }
  }

  private final class Watcher implements StreamObserver<WatchMembersResponse> {
    private final int number;

    Watcher(int number) {
      this.number = number;
    }

    @Override
    public void onNext(WatchMembersResponse message) {
      if (message.hasSnapshot() && !message.getSnapshot().getMore()) {
        snapshots.countDown();
      }
      for (MemberEvent event : message.getEvents().getEventsList()) {
        Member member = event.getMember();
        if (member.getWeight() == weight && member.getName().equals(changing)) {
          arrivals.seen(number);
        }
      }
    }

    @Override
    public void onError(Throwable thrown) {
      failure.compareAndSet(null, thrown);
    }

    @Override
    public void onCompleted() {
      failure.compareAndSet(null, new IllegalStateException("a watch ended"));
    }
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }
}
