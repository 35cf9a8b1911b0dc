package dev.plinth.testkit.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Where Cassandra comes from and how it is started. */
final class CassandraLauncher {
  private static final String ADDRESS = "TESTKIT_CASSANDRA";

  /**
   * Set by gradle/cassandra.gradle. The server's jars clash with a test's own, so they get their
   * own process.
   */
  private static final String CLASS_PATH = "testkit.cassandra.classpath";

  /** A lone node has nobody to wait for. */
  private static final List<String> ALONE =
      List.of("-Dcassandra.skip_wait_for_gossip_to_settle=0", "-Dcassandra.ring_delay_ms=0");

  /** An OPTIONS request of protocol version 4, which any server answers before a login. */
  private static final byte[] OPTIONS = {4, 0, 0, 0, 5, 0, 0, 0, 0};

  private static final int SUPPORTED = 6;

  private CassandraLauncher() {}

  static List<EngineSource> sources(TestEnvironment testEnvironment) {
    if (testEnvironment.has(ADDRESS)) {
      return List.of(
          GivenServer.source(testEnvironment, ADDRESS, 1, CassandraLauncher::answersOptions));
    }
    return List.of(
        new EngineSource("jars", () -> process(System.getProperty(CLASS_PATH, ""))),
        new EngineSource("Docker", () -> container(testEnvironment)));
  }

  private static List<EngineNode> process(String classPath) throws IOException {
    if (classPath.isEmpty()) {
      throw new UnavailableException("no " + CLASS_PATH + "; gradle/cassandra.gradle sets it");
    }
    return FreePortLauncher.onFreePorts(
        2,
        ports -> {
          Path directory = FreePortLauncher.directory("cassandra");
          CassandraProcess process = new CassandraProcess(directory, ports[0], ports[1]);
          List<String> command = process.command(classPath, ALONE);
          SupervisedProcess supervisedProcess = new SupervisedProcess(directory, Map.of(), command);
          return List.of(
              new EngineNode(
                  Ports.local(ports[0]), CassandraLauncher::answersOptions, supervisedProcess));
        });
  }

  private static List<EngineNode> container(TestEnvironment testEnvironment) throws IOException {
    DockerServer.Image image =
        DockerServer.image(testEnvironment, "TESTKIT_CASSANDRA_IMAGE", "cassandra:5");
    String durable =
        "sed -i -e 's/^commitlog_sync:.*/commitlog_sync: batch/' -e '/^commitlog_sync_period/d'"
            + " /etc/cassandra/cassandra.yaml && exec docker-entrypoint.sh cassandra -f";
    return FreePortLauncher.onFreePorts(
        1,
        ports -> {
          DockerServer server =
              image
                  .server(ports[0], 9042, List.of("sh", "-c", durable))
                  .environment("MAX_HEAP_SIZE", "512M")
                  .environment("HEAP_NEWSIZE", "128M")
                  .environment("JVM_EXTRA_OPTS", String.join(" ", ALONE));
          return List.of(
              new EngineNode(image.address(ports[0]), CassandraLauncher::answersOptions, server));
        });
  }

  static boolean answersOptions(InetSocketAddress address) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(address, 1_000);
      socket.setSoTimeout(3_000);
      socket.getOutputStream().write(OPTIONS);
      byte[] header = socket.getInputStream().readNBytes(OPTIONS.length);
      return header.length == OPTIONS.length && header[4] == SUPPORTED;
    }
  }
}
