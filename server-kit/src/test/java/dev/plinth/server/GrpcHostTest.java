package dev.plinth.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.admin.v1.AdminServiceGrpc;
import dev.plinth.admin.v1.EngineState;
import dev.plinth.admin.v1.GetStatusRequest;
import dev.plinth.admin.v1.GetStatusResponse;
import dev.plinth.admin.v1.HealthState;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.InProcessHost;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The host on a real port. */
class GrpcHostTest {
  private final SwitchedEngine engine = new SwitchedEngine("rows");
  private volatile String ranOn;
  private final EchoService echo =
      new EchoService(
          (request, answer) -> {
            ranOn = Thread.currentThread().getName();
            answer.onNext(request);
            answer.onCompleted();
          },
          engine);
  private final Metrics metrics = new Metrics();
  private final GrpcHost host =
      GrpcHost.builder(
              InProcessHost.hostSettings(
                  "--limits.message-size=64KiB", "--limits.metadata-size=2KiB"),
              metrics)
          .add(echo)
          .start();
  private final ManagedChannel channel =
      ManagedChannelBuilder.forAddress("127.0.0.1", host.port()).usePlaintext().build();

  @AfterEach
  void stop() {
    channel.shutdownNow();
    host.close();
    metrics.close();
  }

  @Test
  void call_isAnswered_andCounted() throws Exception {
    assertEquals("hello", EchoService.say(channel, "hello"));
    Await.until(
        "the call is counted",
        () ->
            get("/metrics")
                .body()
                .lines()
                .anyMatch(
                    line ->
                        line.startsWith("grpc_server_processing_duration_seconds_count")
                            && line.contains("service=\"" + EchoService.NAME + "\"")
                            && line.contains("statusCode=\"OK\"")
                            && line.endsWith(" 1")));
  }

  /** What makes a call cheap, and why no handler may wait. */
  @Test
  void calls_runOnTheNetworksThreads() {
    EchoService.say(channel, "hello");
    assertTrue(ranOn.startsWith("plinth-network"), ranOn);
  }

  @Test
  void metrics_showEachServiceBeforeItsFirstCall_andTheEngines() throws Exception {
    String page = get("/metrics").body();
    assertTrue(page.contains("plinth_build_info{version=\"" + Version.current() + "\"} 1"), page);
    assertTrue(page.contains("plinth_engine_up{engine=\"rows\",kind=\"test\"} 1"), page);
    assertTrue(page.contains("plinth_serving 1"), page);
    assertTrue(page.contains("service=\"plinth.admin.v1.AdminService\""), page);
  }

  @Test
  void messageOverTheLimit_isRefused_andTheConnectionLives() {
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class, () -> EchoService.say(channel, "x".repeat(65 * 1024)));
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
    assertEquals("hello", EchoService.say(channel, "hello"));
  }

  @Test
  void metadataOverTheLimit_isRefused() {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("large", Metadata.ASCII_STRING_MARSHALLER), "x".repeat(4096));
    var large =
        ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
    assertThrows(StatusRuntimeException.class, () -> EchoService.say(large, "x"));
    assertEquals("hello", EchoService.say(channel, "hello"));
  }

  @Test
  void readyz_answersOnlyOnceCallsDo() throws IOException {
    int admin;
    try (ServerSocket free = new ServerSocket(0)) {
      admin = free.getLocalPort();
    }
    List<Boolean> early = new ArrayList<>();
    GrpcHost other =
        GrpcHost.builder(InProcessHost.hostSettings("--admin-port=" + admin), new Metrics())
            .afterBind(port -> early.add(isOpen(port) && !isOpen(admin)))
            .start();
    try {
      assertEquals(List.of(true), early);
      assertTrue(isOpen(other.adminPort()));
    } finally {
      other.close();
    }
  }

  private static boolean isOpen(int port) {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void health_flapsWithItsStore_perServiceAndOverall() throws Exception {
    Iterator<HealthCheckResponse> watch =
        HealthGrpc.newBlockingStub(channel).watch(request(EchoService.NAME));
    assertEquals(ServingStatus.SERVING, watch.next().getStatus());
    assertEquals(200, get("/readyz").statusCode());
    for (int i = 0; i < 2; i++) {
      engine.fail("disk is gone");
      assertEquals(ServingStatus.NOT_SERVING, watch.next().getStatus());
      Await.until("overall follows", () -> check("") == ServingStatus.NOT_SERVING);
      assertEquals(503, get("/readyz").statusCode());
      assertEquals("rows: disk is gone\n", get("/readyz").body());
      assertEquals(200, get("/livez").statusCode());
      assertEquals(ServingStatus.SERVING, check(AdminServiceGrpc.SERVICE_NAME));

      engine.recover();
      assertEquals(ServingStatus.SERVING, watch.next().getStatus());
      Await.until("overall follows", () -> check("") == ServingStatus.SERVING);
      assertEquals(200, get("/readyz").statusCode());
    }
  }

  @Test
  void status_tellsVersionServicesAndEngines() {
    engine.fail("disk is gone");
    Await.until(
        "status follows", () -> status().getState() == HealthState.HEALTH_STATE_NOT_SERVING);
    GetStatusResponse status = status();
    assertEquals(Version.current(), status.getVersion());
    assertTrue(status.hasStartedAt() && status.hasUptime());
    assertEquals(
        List.of(EchoService.NAME, AdminServiceGrpc.SERVICE_NAME),
        status.getServicesList().stream().map(s -> s.getName()).toList());
    assertEquals(HealthState.HEALTH_STATE_NOT_SERVING, status.getServices(0).getState());
    assertEquals(HealthState.HEALTH_STATE_SERVING, status.getServices(1).getState());
    assertEquals(List.of("rows"), status.getServices(0).getEnginesList());
    assertEquals(EngineState.ENGINE_STATE_DOWN, status.getEngines(0).getState());
    assertEquals("disk is gone", status.getEngines(0).getDetail());
  }

  @Test
  void reflection_listsTheServices() throws Exception {
    BlockingQueue<ServerReflectionResponse> answers = new LinkedBlockingQueue<>();
    StreamObserver<ServerReflectionRequest> ask =
        ServerReflectionGrpc.newStub(channel).serverReflectionInfo(into(answers));
    ask.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    List<String> names =
        answers.poll(10, TimeUnit.SECONDS).getListServicesResponse().getServiceList().stream()
            .map(service -> service.getName())
            .toList();
    ask.onCompleted();
    assertTrue(names.containsAll(List.of("grpc.health.v1.Health", AdminServiceGrpc.SERVICE_NAME)));
  }

  @Test
  void adminPage_onlyReads_andTellsWhatThereIs() throws Exception {
    assertEquals(404, get("/nope").statusCode());
    assertEquals("/metrics\n/livez\n/readyz\n", get("/").body());
    HttpRequest post =
        HttpRequest.newBuilder(uri("/metrics")).POST(HttpRequest.BodyPublishers.noBody()).build();
    assertEquals(
        405,
        HttpClient.newHttpClient().send(post, HttpResponse.BodyHandlers.ofString()).statusCode());
  }

  /** An orchestrator would take the process for dead. */
  @Test
  void halfRequests_doNotKeepProbesFromTheirAnswer_forLong() throws Exception {
    List<Socket> half = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        Socket socket = new Socket("127.0.0.1", host.adminPort());
        half.add(socket);
        socket.getOutputStream().write("GET /livez HTTP/1.1\r\nHost: ".getBytes(US_ASCII));
      }
      Await.until("a probe is answered", this::isLive);
    } finally {
      for (Socket socket : half) {
        socket.close();
      }
    }
  }

  private boolean isLive() {
    HttpRequest probe =
        HttpRequest.newBuilder(uri("/livez")).timeout(Duration.ofSeconds(2)).build();
    try {
      return HttpClient.newHttpClient()
              .send(probe, HttpResponse.BodyHandlers.ofString())
              .statusCode()
          == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void portInUse_isRefusedWithWhatToDo() {
    try (Metrics other = new Metrics()) {
      StartRefusedException refused =
          assertThrows(
              StartRefusedException.class,
              () ->
                  GrpcHost.builder(InProcessHost.hostSettings("--port=" + host.port()), other)
                      .start());
      assertTrue(refused.getMessage().contains("--port"), refused.getMessage());
      assertTrue(refused.getMessage().contains(String.valueOf(host.port())));
    }
  }

  private GetStatusResponse status() {
    return AdminServiceGrpc.newBlockingStub(channel)
        .getStatus(GetStatusRequest.getDefaultInstance());
  }

  private ServingStatus check(String service) {
    return HealthGrpc.newBlockingStub(channel).check(request(service)).getStatus();
  }

  private static HealthCheckRequest request(String service) {
    return HealthCheckRequest.newBuilder().setService(service).build();
  }

  private HttpResponse<String> get(String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + host.adminPort() + path);
  }

  private static <T> StreamObserver<T> into(BlockingQueue<T> queue) {
    return new StreamObserver<>() {
      @Override
      public void onNext(T value) {
        queue.add(value);
      }

      @Override
      public void onError(Throwable thrown) {}

      @Override
      public void onCompleted() {}
    };
  }
}
