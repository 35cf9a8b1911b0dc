package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.IdServiceGrpc.IdServiceBlockingStub;
import dev.plinth.id.v1.ListNamespacesRequest;
import dev.plinth.id.v1.ListNamespacesResponse;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.Ports;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** I1, I4, I6 and I8 with whole processes: whatever is killed or moves, no id comes twice. */
class IdCrashTest {
  private static final int ROUNDS = 3;

  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  @TempDir Path directory;

  @Test
  void I1_I8_noIdComesTwice_andAnswersAreKept_overKill9() {
    int port = Ports.free(1)[0];
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    var ids = IdServiceGrpc.newBlockingStub(channel);
    try (IdLoad load = new IdLoad(caller -> ids)) {
      for (int round = 0; round < ROUNDS; round++) {
        try (JavaProcess plinth = start(port)) {
          channel.resetConnectBackoff();
          if (round == 0) {
            IdLoad.define(ids);
            load.start();
          }
          awaitMore(load, 300);
          plinth.kill();
        }
      }
      try (JavaProcess plinth = start(port)) {
        channel.resetConnectBackoff();
        awaitMore(load, 100);
        load.stop();
        load.check(ids);
        plinth.kill();
      }
    } finally {
      channel.shutdownNow();
    }
  }

  private JavaProcess start(int port) {
    JavaProcess plinth =
        JavaProcess.start(directory, PlinthMain.class, "--port=" + port, "--admin-port=0");
    plinth.awaitLine("is ready");
    return plinth;
  }

  private static void awaitMore(IdLoad load, int more) {
    int enough = load.answers() + more;
    Await.until(more + " more answers", () -> load.answers() >= enough);
  }

  @Test
  void I1_I8_noIdComesTwice_whileShardsMoveBetweenNodes() {
    try (PlinthNodes nodes = new PlinthNodes(directory, ETCD.hostPorts(), 2)) {
      nodes.start(0);
      nodes.awaitSpread(List.of(0), 16);
      var first = IdServiceGrpc.newBlockingStub(nodes.channel(0));
      var second = IdServiceGrpc.newBlockingStub(nodes.channel(1));
      IdLoad.define(first);
      try (IdLoad load = new IdLoad(caller -> caller % 2 == 0 ? first : second)) {
        load.start();
        awaitMore(load, 200);
        nodes.start(1);
        nodes.awaitSpread(List.of(0, 1), 8, 8);
        assertEquals(2 * IdLoad.SPACES, listed(first).size(), "those of both nodes");
        assertEquals(listed(first), listed(second));
        awaitMore(load, 200);
        nodes.process(0).kill();
        nodes.awaitSpread(List.of(1), 16);
        awaitMore(load, 200);
        load.stop();
        load.check(second);
      }
    }
  }

  private static Set<String> listed(IdServiceBlockingStub ids) {
    Set<String> names = new TreeSet<>();
    String token = "";
    do {
      ListNamespacesResponse page =
          ids.listNamespaces(ListNamespacesRequest.newBuilder().setPageToken(token).build());
      page.getNamespacesList().forEach(status -> names.add(status.getNamespace()));
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return names;
  }
}
