package dev.plinth.testkit.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FreePortLauncherTest {
  @TempDir Path temp;

  @Test
  void onFreePorts_portTakenBeforeTheServerBinds_startsOnAnother() throws Exception {
    List<Integer> tried = new ArrayList<>();
    List<EngineNode> nodes =
        FreePortLauncher.onFreePorts(
            1,
            ports -> {
              tried.add(ports[0]);
              boolean taken = tried.size() == 1;
              return node(
                  ports[0], taken ? "echo bind: Address already in use" : "exec sleep 1000");
            });
    assertEquals(2, tried.size());
    assertNotEquals(tried.get(0), tried.get(1));
    assertEquals("127.0.0.1:" + tried.get(1), nodes.get(0).hostPort());
    nodes.get(0).close();
  }

  @Test
  void onFreePorts_serverThatEnds_failsWithTheEndOfItsLog() throws Exception {
    StartFailedException failed =
        assertThrows(
            StartFailedException.class,
            () ->
                FreePortLauncher.onFreePorts(
                    1, ports -> node(ports[0], "echo no such disk; exit 3")));
    assertTrue(failed.getMessage().contains("ended while starting"), failed.getMessage());
    assertTrue(failed.getMessage().endsWith("no such disk"), failed.getMessage());
    try (var left = Files.list(temp)) {
      assertEquals(0, left.count());
    }
  }

  @Test
  void free_portsInUse_areLeftOut() throws Exception {
    for (int port : Ports.free(20)) {
      try (ServerSocket socket = new ServerSocket(port, 1, Ports.local(port).getAddress())) {
        assertTrue(socket.isBound());
      }
    }
  }

  private List<EngineNode> node(int port, String script) throws IOException {
    Path directory = Files.createTempDirectory(temp, "plinth-");
    SupervisedProcess supervisedProcess =
        new SupervisedProcess(directory, Map.of(), List.of("sh", "-c", script));
    EngineNode.Probe probe = address -> script.startsWith("exec");
    return List.of(new EngineNode(Ports.local(port), probe, supervisedProcess));
  }
}
