package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceStub;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResponse;
import dev.plinth.lease.v1.RenewResult;
import dev.plinth.testkit.TestSettings;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** V20: where new requests are refused because the queue is full, renewals are not. */
class OverloadTest {
  private static final int HELD = 50;
  private static final int IN_FLIGHT = 500;
  private static final int REFUSALS = 200;
  private static final int RENEWALS = 10;

  @TempDir Path directory;
  private final AtomicInteger refused = new AtomicInteger();
  private volatile boolean over;
  private PlinthServer plinthServer;
  private ManagedChannel channel;

  @BeforeEach
  void start() {
    plinthServer =
        PlinthServer.start(
            TestSettings.read(
                PlinthSettings.class,
                "--port=0",
                "--admin-port=0",
                "--shards.queue=16",
                "--data-dir=" + directory));
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", plinthServer.port()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    plinthServer.close();
  }

  @Test
  void V20_overload_refusesWishes_andLosesNoLease() throws Exception {
    LeaseServiceBlockingStub stub = LeaseServiceGrpc.newBlockingStub(channel);
    List<Lease> held =
        IntStream.range(0, HELD)
            .mapToObj(i -> stub.acquire(request("held/" + i)).getLease())
            .toList();
    RenewRequest.Builder renewal = RenewRequest.newBuilder();
    held.forEach(
        lease ->
            renewal.addItems(
                RenewItem.newBuilder().setKey(lease.getKey()).setToken(lease.getToken())));
    Thread flood = new Thread(this::flood, "flood");
    flood.start();
    for (int i = 0; i < RENEWALS || refused.get() < REFUSALS; i++) {
      RenewResponse response = stub.renew(renewal.build());
      response.getResultsList().forEach(OverloadTest::assertRenewed);
    }
    over = true;
    flood.join();
    ListLeasesRequest all =
        ListLeasesRequest.newBuilder().setKeyPrefix("held/").setPageSize(HELD).build();
    assertEquals(
        held.stream().map(Lease::getToken).sorted().toList(),
        stub.listLeases(all).getLeasesList().stream().map(Lease::getToken).sorted().toList());
  }

  private static void assertRenewed(RenewResult result) {
    assertEquals(RenewResult.State.STATE_RENEWED, result.getState());
  }

  private void flood() {
    LeaseServiceStub stub = LeaseServiceGrpc.newStub(channel);
    Semaphore room = new Semaphore(IN_FLIGHT);
    for (int i = 0; !over; i++) {
      room.acquireUninterruptibly();
      stub.acquire(request("flood/" + i), answers(room));
    }
    room.acquireUninterruptibly(IN_FLIGHT);
  }

  private StreamObserver<AcquireResponse> answers(Semaphore room) {
    return new StreamObserver<>() {
      @Override
      public void onNext(AcquireResponse response) {}

      @Override
      public void onError(Throwable thrown) {
        if (Status.fromThrowable(thrown).getCode() == Status.Code.RESOURCE_EXHAUSTED) {
          refused.incrementAndGet();
        }
        room.release();
      }

      @Override
      public void onCompleted() {
        room.release();
      }
    };
  }

  private static AcquireRequest request(String key) {
    return AcquireRequest.newBuilder()
        .setKey(key)
        .setOwnerId("ann")
        .setTtl(Durations.fromSeconds(30))
        .build();
  }
}
