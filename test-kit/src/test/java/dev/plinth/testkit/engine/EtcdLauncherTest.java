package dev.plinth.testkit.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.kv.PutResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("engine")
class EtcdLauncherTest {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  @Test
  void restart_afterKill_keepsAcknowledgedWrites() throws Exception {
    String address = ETCD.hostPorts();
    try (Client client = connect()) {
      for (int i = 0; i < 20; i++) {
        put(client, "kept-" + i, "value-" + i).get(30, TimeUnit.SECONDS);
      }
      ETCD.kill();
      ETCD.restart();
    }
    assertEquals(address, ETCD.hostPorts());
    try (Client client = connect()) {
      for (int i = 0; i < 20; i++) {
        assertEquals("value-" + i, get(client, "kept-" + i));
      }
    }
  }

  @Test
  void restartEmpty_startsWithoutData() throws Exception {
    try (Client client = connect()) {
      put(client, "gone", "value").get(30, TimeUnit.SECONDS);
    }
    ETCD.restartEmpty();
    try (Client client = connect()) {
      ByteSequence key = ByteSequence.from("gone", UTF_8);
      assertEquals(0, client.getKVClient().get(key).get(30, TimeUnit.SECONDS).getCount());
    }
  }

  @Test
  void pause_duringACall_holdsTheAnswerUntilResume() throws Exception {
    try (Client client = connect()) {
      put(client, "paused", "no").get(30, TimeUnit.SECONDS);
      ETCD.pause();
      CompletableFuture<PutResponse> answer = put(client, "paused", "yes");
      assertThrows(TimeoutException.class, () -> answer.get(300, TimeUnit.MILLISECONDS));
      ETCD.resume();
      answer.get(30, TimeUnit.SECONDS);
      assertEquals("yes", get(client, "paused"));
    }
  }

  private static Client connect() {
    return Client.builder().target("ip:///" + ETCD.hostPorts()).build();
  }

  private static CompletableFuture<PutResponse> put(Client client, String key, String value) {
    return client.getKVClient().put(ByteSequence.from(key, UTF_8), ByteSequence.from(value, UTF_8));
  }

  private static String get(Client client, String key) throws Exception {
    return client
        .getKVClient()
        .get(ByteSequence.from(key, UTF_8))
        .get(30, TimeUnit.SECONDS)
        .getKvs()
        .get(0)
        .getValue()
        .toString(UTF_8);
  }
}
