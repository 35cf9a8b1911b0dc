package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.ObserveRequest;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.WatchRequest;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.HalfRequests;
import dev.plinth.testkit.JavaProcess;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * K14: a process with a small heap, and a caller who wants it to end. Another client's heartbeats
 * are answered all the time.
 */
class SmallHeapTest {
  private static final List<String> OPTIONS =
      List.of("-Xmx160m", "-XX:MaxDirectMemorySize=160m", "-XX:+ExitOnOutOfMemoryError");
  private static final ByteString PAYLOAD = ByteString.copyFrom(new byte[4096]);
  private static final int IN_FLIGHT = 200;
  private static final int MAX = 400_000;

  @TempDir Path directory;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final List<AutoCloseable> attackers = new ArrayList<>();
  private final AtomicInteger refused = new AtomicInteger();
  private JavaProcess plinth;
  private int port;
  private LeaseServiceBlockingStub victim;
  private String session;

  @BeforeEach
  void start() {
    plinth =
        JavaProcess.start(
            directory,
            OPTIONS,
            PlinthMain.class,
            "--port=0",
            "--admin-port=0",
            "--drain.pause=0s",
            "--shards.request-memory=4MiB",
            "--limits.connections=300");
    port = Integer.parseInt(plinth.awaitLine("gRPC on [^:]+:(\\d+)").group(1));
    victim = LeaseServiceGrpc.newBlockingStub(channel(1 << 20));
    session =
        victim
            .openSession(
                OpenSessionRequest.newBuilder()
                    .setOwnerId("holder")
                    .setTtl(Durations.fromSeconds(60))
                    .build())
            .getSessionId();
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable attacker : attackers) {
      attacker.close();
    }
    channels.forEach(ManagedChannel::shutdownNow);
    plinth.close();
  }

  @Test
  void K14_sessionsInManyNamespaces_areRefused_beforeTheHeapIsFull() throws Exception {
    flood(
        LeaseServiceGrpc.getOpenSessionMethod(),
        i ->
            OpenSessionRequest.newBuilder()
                .setNamespace("ns" + i / 10)
                .setOwnerId("owner" + i)
                .setTtl(Durations.fromMinutes(30))
                .build());
  }

  @Test
  void K14_payloadsInManyNamespaces_areRefused_beforeTheHeapIsFull() throws Exception {
    flood(
        LeaseServiceGrpc.getAcquireMethod(),
        i ->
            AcquireRequest.newBuilder()
                .setNamespace("ns" + i / 10)
                .setKey("key" + i)
                .setOwnerId("owner")
                .setTtl(Durations.fromMinutes(30))
                .setPayload(PAYLOAD)
                .build());
  }

  @Test
  void K14_heapWithRoomAgain_takesWhatItRefused() throws Exception {
    flood(
        LeaseServiceGrpc.getAcquireMethod(),
        i ->
            AcquireRequest.newBuilder()
                .setNamespace("ns" + i / 10)
                .setKey("key" + i)
                .setOwnerId("owner")
                .setTtl(Durations.fromSeconds(20))
                .setPayload(PAYLOAD)
                .build());
    Await.until("there is room for a lease", () -> isGranted(payload("after")));
  }

  @Test
  void K14_connectionsAndHalfRequests_costNobodyElseTheirCalls() throws Exception {
    for (int i = 0; i < 350; i++) {
      Socket socket = new Socket("127.0.0.1", port);
      attackers.add(socket);
    }
    assertAlive();
    for (AutoCloseable socket : attackers) {
      socket.close();
    }
    Await.until("there is room for connections", this::halfRequests);
    for (int i = 0; i < 20; i++) {
      halfRequests();
      assertAlive();
    }
    LeaseServiceGrpc.newBlockingStub(channel(1 << 20)).heartbeat(heartbeat());
  }

  private boolean halfRequests() {
    try {
      HalfRequests half =
          new HalfRequests(
              port, "/" + LeaseServiceGrpc.getAcquireMethod().getFullMethodName(), 4_000_000);
      attackers.add(half);
      half.begin(20, 3_900_000);
      return true;
    } catch (IOException e) {
      return false; // closed by the server
    }
  }

  @Test
  void K14_answersAndWatchesThatAreNotTaken_costNobodyElseTheirCalls() throws Exception {
    for (int i = 0; i < 2_000; i++) {
      victim.acquire(payload("large" + i));
    }
    for (int i = 0; i < 10; i++) {
      ManagedChannel slow = channel(1024);
      for (int call = 0; call < 500; call++) {
        send(slow, LeaseServiceGrpc.getListLeasesMethod(), page());
        send(slow, LeaseServiceGrpc.getWatchMethod(), WatchRequest.getDefaultInstance());
      }
      AcquireRequest more = payload("more" + i);
      // While the heap is nearly full it may be refused, but not for as long as nobody reads.
      Await.until("there is room for a lease", () -> isGranted(more));
      assertAlive();
    }
  }

  private boolean isGranted(AcquireRequest request) {
    try {
      victim.acquire(request);
      return true;
    } catch (StatusRuntimeException e) {
      assertEquals(Status.Code.RESOURCE_EXHAUSTED, e.getStatus().getCode(), e.toString());
      return false;
    }
  }

  @Test
  void K14_smallAnswersThatAreNotTaken_areBoundedAsLargeOnesAre() throws Exception {
    victim.acquire(payload("large"));
    GetLeaseRequest get = GetLeaseRequest.newBuilder().setKey("large").build();
    for (int i = 0; i < 50; i++) {
      ManagedChannel slow = channel(1024);
      for (int call = 0; call < 1000; call++) {
        send(slow, LeaseServiceGrpc.getGetLeaseMethod(), get);
      }
      assertAlive();
    }
    victim.getLease(get);
  }

  @Test
  void K14_snapshotsThatAreNotTaken_areBounded() throws Exception {
    ManagedChannel channel = channel(1 << 20);
    Semaphore room = new Semaphore(IN_FLIGHT);
    for (int i = 0; i < 40_000; i++) {
      assertTrue(room.tryAcquire(30, TimeUnit.SECONDS), plinth::output);
      call(channel, LeaseServiceGrpc.getAcquireMethod(), small("key" + i), counting(room));
    }
    assertTrue(room.tryAcquire(IN_FLIGHT, 30, TimeUnit.SECONDS), plinth::output);
    for (int i = 0; i < 30; i++) {
      ManagedChannel slow = channel(1024);
      for (int call = 0; call < 8; call++) {
        send(slow, LeaseServiceGrpc.getWatchMethod(), WatchRequest.getDefaultInstance());
      }
      assertAlive();
    }
  }

  private static AcquireRequest small(String key) {
    return payload(key).toBuilder().clearPayload().build();
  }

  @Test
  void K14_streamsThatAreOpen_areBounded() throws Exception {
    ObserveRequest observe = ObserveRequest.newBuilder().setElection("e").build();
    for (int i = 0; i < 60; i++) {
      ManagedChannel many = channel(1 << 16);
      for (int call = 0; call < 1000; call++) {
        call(many, ElectionServiceGrpc.getObserveMethod(), observe, counting(new Semaphore(0)));
      }
      assertAlive();
    }
    Await.until("some are refused", () -> refused.get() > 0);
    victim.acquire(small("another"));
  }

  private static AcquireRequest payload(String key) {
    return AcquireRequest.newBuilder()
        .setKey(key)
        .setOwnerId("owner")
        .setTtl(Durations.fromMinutes(30))
        .setPayload(PAYLOAD)
        .build();
  }

  private static ListLeasesRequest page() {
    return ListLeasesRequest.newBuilder().setPageSize(1000).build();
  }

  /** Sends until much is refused, or more than the heap could hold was taken. */
  private <Q extends Message, A> void flood(MethodDescriptor<Q, A> method, IntFunction<Q> request)
      throws Exception {
    ManagedChannel channel = channel(1 << 20);
    Semaphore room = new Semaphore(IN_FLIGHT);
    int sent = 0;
    while (refused.get() < 1000 && sent < MAX) {
      assertTrue(room.tryAcquire(30, TimeUnit.SECONDS), plinth::output);
      call(channel, method, request.apply(sent++), counting(room));
      if (sent % 2000 == 0) {
        assertAlive();
      }
    }
    assertAlive();
    assertTrue(refused.get() >= 1000, sent + " were taken");
  }

  private static <Q, A> void call(
      ManagedChannel channel,
      MethodDescriptor<Q, A> method,
      Q request,
      ClientCall.Listener<A> listener) {
    ClientCall<Q, A> call = channel.newCall(method, CallOptions.DEFAULT);
    call.start(listener, new Metadata());
    call.sendMessage(request);
    call.halfClose();
    call.request(1000);
  }

  private <A> ClientCall.Listener<A> counting(Semaphore room) {
    return new ClientCall.Listener<>() {
      @Override
      public void onClose(Status status, Metadata trailers) {
        if (status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
          refused.incrementAndGet();
        }
        room.release();
      }
    };
  }

  private static <Q, A> void send(
      ManagedChannel channel, MethodDescriptor<Q, A> method, Q request) {
    ClientCall<Q, A> call = channel.newCall(method, CallOptions.DEFAULT);
    call.start(new ClientCall.Listener<>() {}, new Metadata()); // and never asks for the answer
    call.sendMessage(request);
    call.halfClose();
  }

  private ManagedChannel channel(int window) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port)
            .usePlaintext()
            .flowControlWindow(window)
            .build();
    channels.add(channel);
    return channel;
  }

  private void assertAlive() {
    assertTrue(plinth.isAlive(), plinth::output);
    victim.withDeadlineAfter(30, TimeUnit.SECONDS).heartbeat(heartbeat());
    assertFalse(plinth.output().contains("OutOfMemoryError"), plinth::output);
  }

  private HeartbeatRequest heartbeat() {
    return HeartbeatRequest.newBuilder().setSessionId(session).build();
  }
}
