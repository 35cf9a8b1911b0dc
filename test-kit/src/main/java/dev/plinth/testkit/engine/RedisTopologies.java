package dev.plinth.testkit.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Redis as people run it: a cluster, a primary with a replica and a sentinel. */
record RedisTopologies(RedisTransport transport) {
  static final String PRIMARY = "plinth-primary";
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int SLOTS = 16_384;
  private static final int SLOTS_AT_ONCE = 4_096;
  private static final int NODES = 3;

  /** Three primaries, each with a third of the slots. */
  List<EngineNode> cluster(Path program) throws IOException {
    return cluster(program, NODES);
  }

  /** One primary, which has met no other node and so does not know its own address. */
  List<EngineNode> clusterOfOne(Path program) throws IOException {
    return cluster(program, 1);
  }

  private List<EngineNode> cluster(Path program, int many) throws IOException {
    List<EngineNode> nodes =
        FreePortLauncher.onFreePorts(
            many,
            ports -> {
              List<EngineNode> made = new ArrayList<>();
              for (int port : ports) {
                made.add(clusterNode(program, port));
              }
              return made;
            });
    for (int i = 0; i < many; i++) {
      addSlots(nodes.get(i), i * SLOTS / many, (i + 1) * SLOTS / many);
      ask(nodes.get(i), "CLUSTER SET-CONFIG-EPOCH " + (i + 1));
      if (i > 0) {
        ask(nodes.get(i), "CLUSTER MEET 127.0.0.1 " + nodes.get(0).address().getPort());
      }
    }
    for (EngineNode engineNode : nodes) {
      await(
          nodes,
          engineNode,
          "CLUSTER INFO",
          "cluster_state:ok",
          "cluster_slots_assigned:" + SLOTS,
          "cluster_known_nodes:" + many);
    }
    return nodes;
  }

  /** A few at a time: Redis reads no more than 64 KB of a command that is one line. */
  private void addSlots(EngineNode node, int first, int end) throws IOException {
    for (int from = first; from < end; from += SLOTS_AT_ONCE) {
      StringBuilder command = new StringBuilder("CLUSTER ADDSLOTS");
      for (int slot = from; slot < Math.min(end, from + SLOTS_AT_ONCE); slot++) {
        command.append(' ').append(slot);
      }
      ask(node, command.toString());
    }
  }

  private EngineNode clusterNode(Path program, int port) throws IOException {
    return RedisLauncher.server(
        program,
        port,
        transport,
        "--cluster-enabled",
        "yes",
        "--cluster-node-timeout",
        "1000",
        "--cluster-require-full-coverage",
        "no");
  }

  private String ask(EngineNode node, String command) throws IOException {
    return transport.ask(node.address(), command);
  }

  /** A primary, its replica, and a sentinel that makes the replica the primary within a second. */
  List<EngineNode> sentinel(Path program) throws IOException {
    List<EngineNode> nodes =
        FreePortLauncher.onFreePorts(
            3,
            ports ->
                List.of(
                    RedisLauncher.server(program, ports[0], transport),
                    RedisLauncher.server(
                        program, ports[1], transport, "--replicaof", "127.0.0.1", "" + ports[0]),
                    sentinel(program, ports[2], ports[0])));
    await(nodes, nodes.get(1), "INFO replication", "master_link_status:up");
    await(nodes, nodes.get(2), "SENTINEL MASTER " + PRIMARY, "num-slaves\r\n$1\r\n1");
    return nodes;
  }

  private EngineNode sentinel(Path program, int port, int primary) throws IOException {
    Path directory = FreePortLauncher.directory("redis");
    Path file = directory.resolve("sentinel.conf");
    StringBuilder options = new StringBuilder();
    for (String option : transport.options(port)) {
      options.append(option.startsWith("--") ? "\n" + option.substring(2) : " " + option);
    }
    Files.writeString(
        file,
        """
        bind 127.0.0.1%s
        sentinel monitor %s 127.0.0.1 %d 1
        sentinel down-after-milliseconds %s 500
        sentinel failover-timeout %s 5000
        """
            .formatted(options, PRIMARY, primary, PRIMARY, PRIMARY));
    SupervisedProcess supervisedProcess =
        new SupervisedProcess(
            directory,
            java.util.Map.of(),
            List.of(program.toString(), file.toString(), "--sentinel"));
    return new EngineNode(Ports.local(port), transport::pongs, supervisedProcess);
  }

  private void await(
      List<EngineNode> nodes, EngineNode engineNode, String command, String... contains) {
    boolean came =
        Poll.until(
            LIMIT,
            () -> {
              try {
                String answer = ask(engineNode, command);
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
