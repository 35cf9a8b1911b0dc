package dev.plinth.testkit.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Redis as people run it: a cluster, a primary with a replica and a sentinel. */
final class RedisTopologies {
  static final String PRIMARY = "plinth-primary";
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int SLOTS = 16_384;
  private static final int NODES = 3;

  private RedisTopologies() {}

  /** Three primaries, each with a third of the slots. */
  static List<EngineNode> cluster(Path program) throws IOException {
    List<EngineNode> nodes =
        FreePortLauncher.onFreePorts(
            NODES,
            ports -> {
              List<EngineNode> made = new ArrayList<>();
              for (int port : ports) {
                made.add(
                    RedisLauncher.server(
                        program,
                        port,
                        "--port",
                        "" + port,
                        "--cluster-enabled",
                        "yes",
                        "--cluster-node-timeout",
                        "1000",
                        "--cluster-require-full-coverage",
                        "no"));
              }
              return made;
            });
    for (int i = 0; i < NODES; i++) {
      StringBuilder command = new StringBuilder("CLUSTER ADDSLOTS");
      for (int slot = i * SLOTS / NODES; slot < (i + 1) * SLOTS / NODES; slot++) {
        command.append(' ').append(slot);
      }
      RedisLauncher.ask(nodes.get(i).address(), command.toString());
      RedisLauncher.ask(nodes.get(i).address(), "CLUSTER SET-CONFIG-EPOCH " + (i + 1));
      RedisLauncher.ask(
          nodes.get(i).address(), "CLUSTER MEET 127.0.0.1 " + nodes.get(0).address().getPort());
    }
    for (EngineNode engineNode : nodes) {
      await(
          nodes,
          engineNode,
          "CLUSTER INFO",
          "cluster_state:ok",
          "cluster_slots_assigned:" + SLOTS,
          "cluster_known_nodes:" + NODES);
    }
    return nodes;
  }

  /** A primary, its replica, and a sentinel that makes the replica the primary within a second. */
  static List<EngineNode> sentinel(Path program) throws IOException {
    List<EngineNode> nodes =
        FreePortLauncher.onFreePorts(
            3,
            ports ->
                List.of(
                    RedisLauncher.server(program, ports[0], "--port", "" + ports[0]),
                    RedisLauncher.server(
                        program,
                        ports[1],
                        "--port",
                        "" + ports[1],
                        "--replicaof",
                        "127.0.0.1",
                        "" + ports[0]),
                    sentinel(program, ports[2], ports[0])));
    await(nodes, nodes.get(1), "INFO replication", "master_link_status:up");
    await(nodes, nodes.get(2), "SENTINEL MASTER " + PRIMARY, "num-slaves\r\n$1\r\n1");
    return nodes;
  }

  private static EngineNode sentinel(Path program, int port, int primary) throws IOException {
    Path directory = FreePortLauncher.directory("redis");
    Path file = directory.resolve("sentinel.conf");
    Files.writeString(
        file,
        """
        port %d
        bind 127.0.0.1
        sentinel monitor %s 127.0.0.1 %d 1
        sentinel down-after-milliseconds %s 500
        sentinel failover-timeout %s 5000
        """
            .formatted(port, PRIMARY, primary, PRIMARY, PRIMARY));
    SupervisedProcess supervisedProcess =
        new SupervisedProcess(
            directory,
            java.util.Map.of(),
            List.of(program.toString(), file.toString(), "--sentinel"));
    return new EngineNode(Ports.local(port), RedisLauncher::pongs, supervisedProcess);
  }

  private static void await(
      List<EngineNode> nodes, EngineNode engineNode, String command, String... contains) {
    boolean came =
        Poll.until(
            LIMIT,
            () -> {
              try {
                String answer = RedisLauncher.ask(engineNode.address(), command);
                for (String part : contains) {
                  if (!answer.contains(part)) {
                    return false;
                  }
                }
                return true;
              } catch (IOException e) {
                return false;
              }
            });
    if (!came) {
      nodes.forEach(EngineNode::close);
      throw new IllegalStateException(
          "%s of %s: not %s"
              .formatted(command, engineNode.hostPort(), String.join(", ", contains)));
    }
  }
}
