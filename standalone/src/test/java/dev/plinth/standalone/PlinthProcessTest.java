package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.admin.v1.AdminServiceGrpc;
import dev.plinth.admin.v1.AdminServiceGrpc.AdminServiceBlockingStub;
import dev.plinth.admin.v1.GetStatusRequest;
import dev.plinth.admin.v1.GetStatusResponse;
import dev.plinth.admin.v1.ListShardsRequest;
import dev.plinth.admin.v1.ListShardsResponse;
import dev.plinth.admin.v1.ShardStatus;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.JavaProcess;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real process, by its command line, its signals and its port. */
class PlinthProcessTest {
  @TempDir Path directory;

  @Test
  void readyLine_tellsAddressesEnginesAndWhatToTry() {
    try (JavaProcess plinth = start()) {
      String line = plinth.awaitLine(".*is ready.*").group();
      assertTrue(
          line.matches(".*gRPC on 127\\.0\\.0\\.1:\\d+, admin on http://127\\.0\\.0\\.1:\\d+, .*"),
          line);
      assertTrue(line.contains("embedded engine in plinth-data/coordination"), line);
      assertTrue(
          line.contains("try: grpcurl -plaintext localhost:" + port(plinth) + " list"), line);
      GetStatusResponse status = status(plinth);
      assertEquals(
          List.of("data embedded", "coordination embedded", "budgets embedded"),
          status.getEnginesList().stream().map(e -> e.getName() + " " + e.getKind()).toList());
    }
  }

  @Test
  void listShards_ofAnEmbeddedProcess_showsItAsTheOwnerOfAll() {
    try (JavaProcess plinth = start()) {
      ManagedChannel channel = channel(plinth);
      try {
        AdminServiceBlockingStub admin = AdminServiceGrpc.newBlockingStub(channel);
        Await.until("it is announced", () -> list(admin).getNodesCount() == 1);
        ListShardsResponse list = list(admin);
        assertEquals("127.0.0.1:" + port(plinth), list.getNodes(0).getAddress());
        assertEquals(16, list.getNodes(0).getShards());
        assertEquals(16, list.getShardsCount());
        assertTrue(list.getShardsList().stream().allMatch(ShardStatus::getServedHere));
        assertEquals("", list.getTrouble());
      } finally {
        channel.shutdownNow();
      }
    }
  }

  private static ListShardsResponse list(AdminServiceBlockingStub admin) {
    return admin.listShards(ListShardsRequest.getDefaultInstance());
  }

  @Test
  void advertise_thatIsNoAddress_isRefused() {
    try (JavaProcess plinth = run("--advertise=nowhere")) {
      assertEquals(2, plinth.exitCode());
      plinth.awaitLine("advertise: nowhere \\(expected: host:port\\), from flag --advertise");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "INT"})
  void signal_endsWithZero_afterADrain(String signal) {
    try (JavaProcess plinth = start()) {
      ManagedChannel channel = channel(plinth);
      try {
        assertEquals(ServingStatus.SERVING, health(channel));
        plinth.signal(signal);
        plinth.awaitLine("draining 1 connections");
        assertEquals(0, plinth.exitCode());
      } finally {
        channel.shutdownNow();
      }
    }
  }

  @Test
  void secondProcess_onALockedFolder_isRefused_namingTheHolder() {
    try (JavaProcess holder = start()) {
      holder.awaitLine("is ready");
      try (JavaProcess second = start()) {
        assertEquals(1, second.exitCode());
        Await.until(
            "the reason is printed", () -> second.output().contains("process " + holder.pid()));
        assertTrue(second.output().contains("--data-dir"), second.output());
      }
    }
  }

  @Test
  void folderOfAKilledProcess_isFreeAtOnce() {
    try (JavaProcess first = start()) {
      first.awaitLine("is ready");
      first.kill();
    }
    try (JavaProcess second = start()) {
      second.awaitLine("is ready");
    }
  }

  @Test
  void health_flapsWithTheDataFolder() throws Exception {
    try (JavaProcess plinth = start()) {
      ManagedChannel channel = channel(plinth);
      try {
        assertEquals(ServingStatus.SERVING, health(channel));
        Files.move(directory.resolve("plinth-data"), directory.resolve("elsewhere"));
        Await.until("not serving", () -> health(channel) == ServingStatus.NOT_SERVING);
        Files.move(directory.resolve("elsewhere"), directory.resolve("plinth-data"));
        Await.until("serving again", () -> health(channel) == ServingStatus.SERVING);
      } finally {
        channel.shutdownNow();
      }
    }
  }

  @Test
  void wrongFlag_endsWithTwo_namingTheNearest() {
    try (JavaProcess plinth = run("--prot=1")) {
      assertEquals(2, plinth.exitCode());
      plinth.awaitLine("unknown flag --prot; did you mean --port\\?");
      plinth.awaitLine("--help lists every setting");
    }
  }

  @Test
  void help_listsEverySetting() {
    try (JavaProcess plinth = run("--help")) {
      assertEquals(0, plinth.exitCode());
      plinth.awaitLine("--data-dir=PATH +Folder .*\\(default plinth-data\\)");
      plinth.awaitLine("--drain.grace=DURATION .*\\(default 20s\\)");
    }
  }

  @Test
  void printConfig_showsValueAndOrigin_andStartsNothing() {
    try (JavaProcess plinth = run("--print-config", "--port=7000")) {
      assertEquals(0, plinth.exitCode());
      plinth.awaitLine("^ +port +7000 +flag --port$");
      plinth.awaitLine("^ +admin-port +7451 +default$");
      assertTrue(Files.notExists(directory.resolve("plinth-data")));
    }
  }

  @Test
  void jsonLog_makesTheReadyLineAnObject() {
    try (JavaProcess plinth = start("--log.format=json")) {
      plinth.awaitLine("^\\{\"time\":\".*\"message\":\"plinth .* is ready .*\"}$");
    }
  }

  private JavaProcess start(String... flags) {
    String[] all = new String[flags.length + 2];
    all[0] = "--port=0";
    all[1] = "--admin-port=0";
    System.arraycopy(flags, 0, all, 2, flags.length);
    return run(all);
  }

  private JavaProcess run(String... flags) {
    return JavaProcess.start(directory, PlinthMain.class, flags);
  }

  private static int port(JavaProcess plinth) {
    return Integer.parseInt(plinth.awaitLine("gRPC on [^:]+:(\\d+)").group(1));
  }

  private static ManagedChannel channel(JavaProcess plinth) {
    return ManagedChannelBuilder.forAddress("127.0.0.1", port(plinth)).usePlaintext().build();
  }

  private static GetStatusResponse status(JavaProcess plinth) {
    ManagedChannel channel = channel(plinth);
    try {
      return AdminServiceGrpc.newBlockingStub(channel)
          .getStatus(GetStatusRequest.getDefaultInstance());
    } finally {
      channel.shutdownNow();
    }
  }

  private static ServingStatus health(ManagedChannel channel) {
    return HealthGrpc.newBlockingStub(channel)
        .check(HealthCheckRequest.getDefaultInstance())
        .getStatus();
  }
}
