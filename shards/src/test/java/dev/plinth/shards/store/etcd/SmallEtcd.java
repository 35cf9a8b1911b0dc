package dev.plinth.shards.store.etcd;

import dev.plinth.testkit.Await;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.maintenance.AlarmMember;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * An etcd with a quota of a few MiB, of the program that runs as the shared one; where that runs
 * elsewhere, the test is skipped.
 */
final class SmallEtcd implements AutoCloseable {
  static final int QUOTA = 4 << 20;

  // The shell ends the server when its input ends: on close, or when this JVM dies.
  private static final String LEASH = "\"$@\" </dev/null >etcd.log 2>&1 & read -r end; kill -9 $!";

  private final Process leash;
  private final int port;
  private final Client client;

  SmallEtcd(Path folder) throws IOException {
    port = freePort();
    String client = "http://127.0.0.1:" + port;
    String peer = "http://127.0.0.1:" + freePort();
    ProcessBuilder builder =
        new ProcessBuilder(
            "sh",
            "-c",
            LEASH,
            "leash",
            program(),
            "--name=small",
            "--data-dir=data",
            "--listen-client-urls=" + client,
            "--advertise-client-urls=" + client,
            "--listen-peer-urls=" + peer,
            "--initial-advertise-peer-urls=" + peer,
            "--initial-cluster=small=" + peer,
            "--quota-backend-bytes=" + QUOTA,
            "--logger=zap");
    leash = builder.directory(folder.toFile()).start();
    this.client = Client.builder().target("ip:///" + hostPort()).build();
    Await.until("etcd answers", () -> get("any").getCount() == 0);
  }

  private static String program() {
    List<String> running =
        ProcessHandle.current()
            .descendants()
            .flatMap(process -> process.info().command().stream())
            .filter(command -> Path.of(command).endsWith("etcd"))
            .toList();
    Assumptions.assumeFalse(running.isEmpty(), "no etcd process of ours to copy");
    return running.get(0);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  String hostPort() {
    return "127.0.0.1:" + port;
  }

  GetResponse get(String key) throws Exception {
    return client.getKVClient().get(Keys.bytes(key)).get(5, TimeUnit.SECONDS);
  }

  /** What the operations manual says: compact, defragment, disarm. */
  void makeRoom() throws Exception {
    ByteSequence any = Keys.bytes("any");
    long now = client.getKVClient().get(any).get(5, TimeUnit.SECONDS).getHeader().getRevision();
    client.getKVClient().compact(now).get(5, TimeUnit.SECONDS);
    client.getMaintenanceClient().defragmentMember("ip:///" + hostPort()).get(30, TimeUnit.SECONDS);
    for (AlarmMember alarm :
        client.getMaintenanceClient().listAlarms().get(5, TimeUnit.SECONDS).getAlarms()) {
      client.getMaintenanceClient().alarmDisarm(alarm).get(5, TimeUnit.SECONDS);
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
    leash.getOutputStream().close();
    leash.onExit().join();
  }
}
