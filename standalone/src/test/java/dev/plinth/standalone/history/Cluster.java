package dev.plinth.standalone.history;

import dev.plinth.standalone.PlinthMain;
import dev.plinth.testkit.FaultProxy;
import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Servers in processes of their own, behind networks that can fail. */
final class Cluster implements AutoCloseable {
  /** One server: killed and started again it is the same node, on another port. */
  final class Node implements AutoCloseable {
    private final int number;
    private final Optional<FaultProxy> toStore;
    private JavaProcess process;
    private FaultProxy toClients;
    private volatile ManagedChannel channel;

    private Node(int number) {
      this.number = number;
      this.toStore = etcd.map(e -> FaultProxy.to(e.address().getHostString(), port(e)));
      start();
    }

    private static int port(SharedEngine engine) {
      InetSocketAddress address = engine.address();
      return address.getPort();
    }

    private void start() {
      process = JavaProcess.start(directory, PlinthMain.class, flags());
      int port = Integer.parseInt(process.awaitLine("gRPC on [^:]+:(\\d+)").group(1));
      toClients = FaultProxy.to("127.0.0.1", port);
      channel =
          ManagedChannelBuilder.forAddress("127.0.0.1", toClients.port()).usePlaintext().build();
    }

    private String[] flags() {
      Stream<String> usual = Stream.of("--port=0", "--admin-port=0", "--shards.count=2");
      Stream<String> own =
          toStore
              .map(
                  proxy ->
                      Stream.of(
                          "--coordination=etcd://" + proxy.address(),
                          "--etcd.prefix=/" + name + "/",
                          "--etcd.session-ttl=" + SESSION.toSeconds() + "s",
                          "--etcd.authority-margin=300ms",
                          "--etcd.request-timeout=1s"))
              .orElseGet(() -> Stream.of("--data-dir=" + name + number));
      return Stream.concat(usual, own).toArray(String[]::new);
    }

    ManagedChannel channel() {
      return channel;
    }

    FaultProxy toClients() {
      return toClients;
    }

    FaultProxy toStore() {
      return toStore.orElseThrow();
    }

    void kill() {
      process.kill();
    }

    void restart() {
      ManagedChannel old = channel;
      FaultProxy oldProxy = toClients;
      process.close();
      start();
      old.shutdownNow();
      oldProxy.close();
    }

    void pause() {
      process.signal("STOP");
    }

    void resume() {
      process.signal("CONT");
    }

    String output() {
      return process.output();
    }

    @Override
    public void close() {
      channel.shutdownNow();
      process.close();
      toClients.close();
      toStore.ifPresent(FaultProxy::close);
    }
  }

  private static final Duration SESSION = Duration.ofSeconds(2);
  private static final Duration SILENCE = Duration.ofMillis(700);

  private final Path directory;
  private final String name;
  private final Optional<SharedEngine> etcd;
  private final List<Node> nodes = new ArrayList<>();

  private Cluster(Path directory, String name, Optional<SharedEngine> etcd, int size) {
    this.directory = directory;
    this.name = name;
    this.etcd = etcd;
    IntStream.range(0, size).forEach(i -> nodes.add(new Node(i)));
  }

  static Cluster embedded(Path directory, String name) {
    return new Cluster(directory, name, Optional.empty(), 1);
  }

  static Cluster onEtcd(Path directory, String name, SharedEngine etcd) {
    return new Cluster(directory, name, Optional.of(etcd), 2);
  }

  int size() {
    return nodes.size();
  }

  Node node(int number) {
    return nodes.get(number);
  }

  boolean isOnEtcd() {
    return etcd.isPresent();
  }

  /** How long a silent node is left alone: by the other node, or by the clients. */
  Duration patience() {
    return isOnEtcd() ? SESSION : SILENCE;
  }

  SharedEngine etcd() {
    return etcd.orElseThrow();
  }

  String output() {
    return nodes.stream().map(Node::output).collect(Collectors.joining("\n----\n"));
  }

  @Override
  public void close() {
    nodes.forEach(Node::close);
  }
}
