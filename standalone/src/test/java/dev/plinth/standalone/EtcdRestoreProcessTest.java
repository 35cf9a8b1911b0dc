package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.shards.fixture.SmallEtcd;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** An etcd that is put back to an older state is noticed without a setting. */
@Tag("engine")
class EtcdRestoreProcessTest {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  @TempDir Path directory;
  private SmallEtcd etcd;
  private Path backup;

  @BeforeEach
  void backUp() throws IOException {
    etcd = new SmallEtcd(Files.createDirectories(directory.resolve("etcd")));
    backup = directory.resolve("backup");
    try (OneNode node = start()) {
      node.grant("first");
      node.stop();
    }
    etcd.stop();
    Folders.replace(backup, etcd.data());
    etcd.start();
  }

  @AfterEach
  void stopEtcd() throws IOException {
    etcd.close();
  }

  @Test
  void nodeThatStarts_refuses_untilTheNextGeneration() throws IOException {
    long lost;
    try (OneNode node = start()) {
      lost = node.grant("second");
      node.stop();
    }
    restore();
    try (JavaProcess refused = OneNode.launch(directory, flags())) {
      assertEquals(1, refused.exitCode());
      Await.until("the reason", () -> refused.output().contains("--shards.generation"));
      String[] lines = refused.output().split("\n");
      String last = lines[lines.length - 1];
      assertTrue(last.contains("--shards.generation"), refused.output());
      assertFalse(refused.output().contains("\tat "), refused.output());
    }
    try (OneNode node = start("--shards.generation=1")) {
      assertTrue(node.grant("third") > lost, "tokens go on rising");
    }
    try (OneNode node = start()) {
      assertTrue(node.grant("fourth") > lost, "the flag need not be given again");
    }
  }

  @Test
  void nodeThatRunsOn_showsIt_andServesNothingThatWasLost() throws IOException {
    try (OneNode node = start()) {
      node.grant("second");
      restore();
      Await.until(
          "health shows it",
          () ->
              node.health(LeaseServiceGrpc.SERVICE_NAME) == ServingStatus.NOT_SERVING
                  && node.coordination().getDetail().contains("--shards.generation"));
      assertThrows(StatusRuntimeException.class, () -> node.grant("second"));
      String[] lines = node.process().output().split("\n");
      assertFalse(node.process().output().contains("\tat "), node.process().output());
      assertFalse(node.process().output().contains("auto retries"), node.process().output());
      assertTrue(lines.length < 40, node.process().output());
    }
  }

  private void restore() throws IOException {
    etcd.stop();
    Folders.replace(etcd.data(), backup);
    etcd.start();
  }

  private OneNode start(String... more) {
    return OneNode.start(directory, flags(more));
  }

  private String[] flags(String... more) {
    String[] all = new String[more.length + 1];
    all[0] = "--coordination=etcd://" + etcd.hostPort();
    System.arraycopy(more, 0, all, 1, more.length);
    return all;
  }
}
