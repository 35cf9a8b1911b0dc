package dev.plinth.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.HalfRequests;
import dev.plinth.testkit.InProcessHost;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** K14: what connections may cost, seen from another one. */
class ConnectionLimitsTest {
  private static final int CALLS = 200;
  private static final int ANSWER = 64 * 1024;
  private static final String WAITS = "wait";

  private final Metrics metrics = new Metrics();
  private final AtomicInteger answered = new AtomicInteger();
  private final GrpcHost host =
      GrpcHost.builder(
              InProcessHost.hostSettings(
                  "--limits.connections=3",
                  "--limits.message-size=1MiB",
                  "--limits.connection-bytes=1MiB"),
              metrics)
          .add(
              new EchoService(
                  (request, answer) -> {
                    answered.incrementAndGet();
                    if (request.getValue().startsWith(WAITS)) {
                      return;
                    }
                    answer.onNext(StringValue.of("x".repeat(ANSWER)));
                    answer.onCompleted();
                  }))
          .start();
  private final ManagedChannel channel =
      ManagedChannelBuilder.forAddress("127.0.0.1", host.port()).usePlaintext().build();
  private final Queue<Status> ended = new ConcurrentLinkedQueue<>();

  @AfterEach
  void stop() {
    channel.shutdownNow();
    host.close();
    metrics.close();
  }

  @Test
  void K14_oneConnectionMoreThanTheLimit_isClosed_andThereIsRoomAgainWhenOneEnds()
      throws IOException {
    assertAnswered();
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      sockets.add(new Socket("127.0.0.1", host.port()));
    }
    Await.until("all are open", () -> gauge("plinth.connections") == 3);
    for (int i = 0; i < 5; i++) {
      try (Socket refused = new Socket("127.0.0.1", host.port())) {
        assertTrue(isClosedByPeer(refused));
      }
    }
    assertEquals(5, metrics.registry().get("plinth.connections.refused").counter().count());
    assertAnswered();
    for (Socket socket : sockets) {
      socket.close();
    }
    Await.until("they are gone", () -> gauge("plinth.connections") == 1);
    ManagedChannel another =
        ManagedChannelBuilder.forAddress("127.0.0.1", host.port()).usePlaintext().build();
    assertEquals(ANSWER, EchoService.say(another, "hello").length());
    another.shutdownNow();
  }

  private static boolean isClosedByPeer(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (IOException e) {
      return true; // reset
    }
  }

  @Test
  void K14_answersThatAreNotTaken_costTheirConnectionNewCalls_andNobodyElse() {
    ManagedChannel slow =
        NettyChannelBuilder.forAddress("127.0.0.1", host.port())
            .usePlaintext()
            .flowControlWindow(1024)
            .build();
    try {
      for (int i = 0; i < CALLS; i++) {
        ClientCall<StringValue, StringValue> call =
            slow.newCall(EchoService.SAY, CallOptions.DEFAULT);
        call.start(ends(), new Metadata()); // and never asks for the answer
        call.sendMessage(StringValue.of("x"));
        call.halfClose();
      }
      Await.until("some are refused", () -> refused() > 0);
      Await.until("all were met", () -> answered.get() + refused() >= CALLS);
      long kept = (long) gauge("plinth.connections.bytes");
      assertTrue(kept <= (1 << 20) + 2 * ANSWER, kept + " bytes");
      assertAnswered();
    } finally {
      slow.shutdownNow();
    }
    Await.until("all is given back", () -> gauge("plinth.connections.bytes") == 0);
  }

  @Test
  void K14_requestsThatNeverEnd_areRefused_andTheirBytesGivenBack() throws IOException {
    String path = "/" + EchoService.SAY.getFullMethodName();
    try (HalfRequests half = new HalfRequests(host.port(), path, 1 << 20)) {
      half.begin(8, 512 * 1024);
      Await.until("some were ended", () -> half.endedByServer() > 0);
      long kept = (long) gauge("plinth.connections.bytes");
      assertTrue(kept <= 2 << 20, kept + " bytes");
      assertAnswered();
    }
    Await.until("all is given back", () -> gauge("plinth.connections.bytes") == 0);
  }

  @Test
  void K14_requestsOfCallsThatWait_countToTheirEnd_andWhatIsRefusedIsNotDone() {
    int size = 64 * 1024;
    ManagedChannel waiting =
        ManagedChannelBuilder.forAddress("127.0.0.1", host.port()).usePlaintext().build();
    try {
      for (int i = 1; i <= 40; i++) {
        ClientCall<StringValue, StringValue> call =
            waiting.newCall(EchoService.SAY, CallOptions.DEFAULT);
        call.start(ends(), new Metadata());
        call.sendMessage(StringValue.of(WAITS + "x".repeat(size)));
        call.halfClose();
        int sent = i; // one by one, so that each arrives whole
        Await.until("it is met", () -> answered.get() + refused() >= sent);
      }
      assertEquals(40, answered.get() + refused());
      assertTrue(answered.get() <= (1 << 20) / size, () -> answered.get() + " wait");
      assertAnswered();
    } finally {
      waiting.shutdownNow();
    }
    Await.until("all is given back", () -> gauge("plinth.connections.bytes") == 0);
  }

  private void assertAnswered() {
    assertEquals(ANSWER, EchoService.say(channel, "hello").length());
  }

  private long refused() {
    return ended.stream()
        .filter(status -> status.getCode() == Status.Code.RESOURCE_EXHAUSTED)
        .count();
  }

  private ClientCall.Listener<StringValue> ends() {
    return new ClientCall.Listener<>() {
      @Override
      public void onClose(Status status, Metadata trailers) {
        ended.add(status);
      }
    };
  }

  private double gauge(String name) {
    return metrics.registry().get(name).gauge().value();
  }
}
