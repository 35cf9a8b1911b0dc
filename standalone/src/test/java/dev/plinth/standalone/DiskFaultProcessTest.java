package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResult;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.SmallDisk;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole process whose disk loses or refuses what it writes. */
class DiskFaultProcessTest {
  @TempDir Path directory;

  @Test
  void damagedLog_refusesTheStart_withTheUsefulLineLast() throws IOException {
    try (OneNode node = OneNode.start(directory)) {
      for (int i = 0; i < 200; i++) {
        node.grant("key" + i);
      }
      node.process().kill();
    }
    Path log = log();
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.seek(file.length() / 2);
      file.write(new byte[64]);
    }
    try (JavaProcess refused = OneNode.launch(directory)) {
      assertEquals(1, refused.exitCode());
      Await.until("the reason", () -> refused.output().contains("--shards.generation"));
      String[] lines = refused.output().split("\n");
      String last = lines[lines.length - 1];
      assertTrue(last.contains(log.getFileName().toString()), refused.output());
      assertTrue(last.contains("--shards.generation"), refused.output());
      assertFalse(refused.output().contains("\tat "), refused.output());
    }
    try (OneNode node = OneNode.start(directory, "--shards.generation=1")) {
      assertTrue(node.grant("other") > 1L << 54, "above all tokens that are lost");
    }
  }

  private Path log() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("plinth-data/coordination"))) {
      return files.filter(file -> file.toString().endsWith(".log")).sorted().findFirst().get();
    }
  }

  @Test
  void fullDisk_refusesMutationsOnly_andPassesByItself() throws IOException {
    try (SmallDisk disk = SmallDisk.mount(directory.resolve("disk"), 48);
        OneNode node = OneNode.start(directory, "--data-dir=" + disk.path().resolve("data"))) {
      long token = node.grant("held");
      disk.fill();
      StatusRuntimeException refused =
          assertThrows(StatusRuntimeException.class, () -> grantMany(node));
      Await.until(
          "refused",
          () -> {
            disk.fill(); // what the store freed when it was opened again
            return isReadOnly(node);
          });
      Await.until(
          "health shows it",
          () -> node.health(LeaseServiceGrpc.SERVICE_NAME) == ServingStatus.NOT_SERVING);
      assertTrue(node.coordination().getDetail().contains("full"), node.coordination().toString());
      assertEquals(RenewResult.State.STATE_RENEWED, renew(node, token), refused.toString());
      GetLeaseRequest held = GetLeaseRequest.newBuilder().setKey("held").build();
      assertEquals(1, node.leases().getLease(held).getHoldersCount());

      disk.makeRoom();
      Await.until("served again", () -> node.grant("after") > token);
      assertEquals(RenewResult.State.STATE_RENEWED, renew(node, token));
      Await.until(
          "health shows it",
          () -> node.health(LeaseServiceGrpc.SERVICE_NAME) == ServingStatus.SERVING);
    }
  }

  private static void grantMany(OneNode node) {
    for (int i = 0; i < 100_000; i++) {
      node.grant("fill" + i + "-" + "x".repeat(200));
    }
  }

  private static boolean isReadOnly(OneNode node) {
    try {
      node.grant("new" + System.nanoTime());
      return false;
    } catch (StatusRuntimeException refused) {
      return refused.getMessage().contains("full");
    }
  }

  private static RenewResult.State renew(OneNode node, long token) {
    RenewItem item = RenewItem.newBuilder().setKey("held").setToken(token).build();
    return node.leases()
        .renew(RenewRequest.newBuilder().addItems(item).build())
        .getResults(0)
        .getState();
  }
}
