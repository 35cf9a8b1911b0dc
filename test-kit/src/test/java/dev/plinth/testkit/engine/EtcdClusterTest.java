package dev.plinth.testkit.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.testkit.Await;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.GetOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("engine")
class EtcdClusterTest {
  @RegisterExtension static final SharedEngine CLUSTER = Engines.etcdCluster();

  @Test
  void kill_ofEachMemberInTurn_letsWritesGoOnAndItCatchesUp() {
    for (EngineNode member : CLUSTER.nodes()) { // one of them is the leader
      member.kill();
      String key = "without-" + member.hostPort();
      try (Client client = connect(CLUSTER.hostPorts())) {
        Await.until("a write without one of three", () -> puts(client, key));
      }
      member.restart();
      try (Client client = connect(member.hostPort())) {
        Await.until("the write on the member", () -> holds(client, key));
      }
    }
  }

  @Test
  void pause_ofOneMember_letsWritesGoOn() {
    EngineNode member = CLUSTER.node(1);
    member.pause();
    String others = CLUSTER.node(0).hostPort() + "," + CLUSTER.node(2).hostPort();
    try (Client client = connect(others)) {
      Await.until("a write without one of three", () -> puts(client, "paused"));
    }
    member.resume();
    try (Client client = connect(member.hostPort())) {
      Await.until("the write on the member", () -> holds(client, "paused"));
    }
  }

  @Test
  void restart_afterKillOfAll_keepsAcknowledgedWrites() {
    try (Client client = connect(CLUSTER.hostPorts())) {
      Await.until("a write", () -> puts(client, "all"));
    }
    CLUSTER.kill();
    CLUSTER.restart();
    assertEquals(3, CLUSTER.nodes().size());
    for (EngineNode member : CLUSTER.nodes()) {
      try (Client client = connect(member.hostPort())) {
        Await.until("the write on " + member.hostPort(), () -> holds(client, "all"));
      }
    }
  }

  private static Client connect(String hostPorts) {
    return Client.builder().target("ip:///" + hostPorts).build();
  }

  private static boolean puts(Client client, String key) throws Exception {
    ByteSequence bytes = ByteSequence.from(key, UTF_8);
    client.getKVClient().put(bytes, bytes).get(5, TimeUnit.SECONDS);
    return true;
  }

  /** Reads what the member itself has applied, without asking the others. */
  private static boolean holds(Client client, String key) throws Exception {
    GetOption local = GetOption.builder().withSerializable(true).build();
    return client
            .getKVClient()
            .get(ByteSequence.from(key, UTF_8), local)
            .get(5, TimeUnit.SECONDS)
            .getCount()
        == 1;
  }
}
