package dev.plinth.testkit.engine;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Where etcd comes from and how its members are started. */
final class EtcdLauncher {
  private static final String ADDRESSES = "TESTKIT_ETCD";

  private EtcdLauncher() {}

  static List<EngineSource> sources(TestEnvironment testEnvironment, int members) {
    if (testEnvironment.has(ADDRESSES)) {
      return List.of(
          GivenServer.source(testEnvironment, ADDRESSES, members, EtcdLauncher::healthy));
    }
    return List.of(
        new EngineSource("program", () -> processes(testEnvironment.onPath("etcd"), members)),
        new EngineSource("Debian package", () -> processes(fetched(testEnvironment), members)),
        new EngineSource("Docker", () -> containers(testEnvironment, members)));
  }

  private static Path fetched(TestEnvironment testEnvironment)
      throws IOException, InterruptedException {
    DebianPackage debian = new DebianPackage("etcd-server", "etcd", testEnvironment);
    String directory = "etcd-debian-" + TestEnvironment.processor();
    return new EngineCache(testEnvironment.cache())
        .directory(directory, debian::unpack)
        .resolve("etcd");
  }

  private static List<EngineNode> processes(Path program, int members) throws IOException {
    return FreePortLauncher.onFreePorts(
        2 * members,
        ports -> {
          List<String> peers =
              IntStream.range(0, members).mapToObj(i -> "127.0.0.1:" + ports[members + i]).toList();
          List<EngineNode> nodes = new ArrayList<>();
          for (int i = 0; i < members; i++) {
            InetSocketAddress client = Ports.local(ports[i]);
            List<String> command = new ArrayList<>(List.of(program.toString()));
            String listen = "127.0.0.1:" + ports[i];
            command.addAll(flags(i, peers, listen, peers.get(i), listen));
            // 3.4 refuses to run on arm64 unless told that it is meant.
            Map<String, String> environment =
                Map.of("ETCD_UNSUPPORTED_ARCH", TestEnvironment.processor());
            SupervisedProcess supervisedProcess =
                new SupervisedProcess(FreePortLauncher.directory("etcd"), environment, command);
            nodes.add(new EngineNode(client, EtcdLauncher::healthy, supervisedProcess));
          }
          return nodes;
        });
  }

  private static List<EngineNode> containers(TestEnvironment testEnvironment, int members)
      throws IOException {
    DockerServer.Image image =
        DockerServer.image(
            testEnvironment, "TESTKIT_ETCD_IMAGE", "rancher/mirrored-coreos-etcd:v3.5.9");
    return FreePortLauncher.onFreePorts(
        members,
        ports -> {
          List<String> hosts = IntStream.of(ports).mapToObj(port -> "etcd" + port).toList();
          List<String> peers = hosts.stream().map(host -> host + ":2380").toList();
          List<EngineNode> nodes = new ArrayList<>();
          for (int i = 0; i < members; i++) {
            List<String> command = new ArrayList<>(List.of("etcd"));
            String advertised = image.host() + ":" + ports[i];
            command.addAll(flags(i, peers, "0.0.0.0:2379", "0.0.0.0:2380", advertised));
            DockerServer server = image.server(ports[i], 2379, command).named(hosts.get(i));
            nodes.add(new EngineNode(image.address(ports[i]), EtcdLauncher::healthy, server));
          }
          return nodes;
        });
  }

  private static List<String> flags(
      int member, List<String> peers, String clientListen, String peerListen, String advertised) {
    String cluster =
        IntStream.range(0, peers.size())
            .mapToObj(i -> "m" + i + "=http://" + peers.get(i))
            .collect(Collectors.joining(","));
    return List.of(
        "--name=m" + member,
        "--data-dir=data",
        "--listen-client-urls=http://" + clientListen,
        "--advertise-client-urls=http://" + advertised,
        "--listen-peer-urls=http://" + peerListen,
        "--initial-advertise-peer-urls=http://" + peers.get(member),
        "--initial-cluster=" + cluster,
        "--logger=zap");
  }

  /** A member calls itself healthy once it has read through the cluster's leader. */
  static boolean healthy(InetSocketAddress address) throws IOException {
    URL url = new URL("http", address.getHostString(), address.getPort(), "/health");
    HttpURLConnection connection = (HttpURLConnection) url.openConnection(Proxy.NO_PROXY);
    connection.setConnectTimeout(1_000);
    connection.setReadTimeout(3_000);
    try (InputStream body = connection.getInputStream()) {
      String text = new String(body.readAllBytes(), StandardCharsets.UTF_8);
      return text.contains("\"health\":\"true\"");
    } finally {
      connection.disconnect();
    }
  }
}
