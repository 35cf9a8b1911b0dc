package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.server.StartRefusedException;
import dev.plinth.testkit.TestSettings;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** V1 over a restore: the store is brought back to what it was some grants ago. */
class RestoreTest {
  @TempDir Path directory;
  private Path store;
  private Path backup;
  private long lost;

  @BeforeEach
  void grantBackUpGrantOnAndRestore() throws IOException {
    store = directory.resolve("data").resolve("coordination");
    backup = directory.resolve("backup");
    with(leases -> cycle(leases));
    copy(store, backup);
    lost = with(leases -> Stream.generate(() -> cycle(leases)).limit(20).reduce(Math::max).get());
    delete(store);
    copy(backup, store);
  }

  @Test
  void V1_storeThatIsOlderThanItWas_isNotServed() {
    StartRefusedException refused =
        assertThrows(StartRefusedException.class, () -> with(leases -> cycle(leases)));
    assertTrue(refused.getMessage().contains("shards.generation"), refused.getMessage());
  }

  @Test
  void V1_withTheNextGeneration_tokensGoOnRising_andStayWithTheData() {
    long next = with(leases -> cycle(leases), "--shards.generation=1");
    assertTrue(next > lost, next + " after " + lost);
    assertTrue(with(leases -> cycle(leases)) > next, "the flag need not be given again");
  }

  @Test
  void restoredLeases_areThere() {
    with(
        leases -> {
          assertEquals(
              0,
              leases
                  .getLease(GetLeaseRequest.newBuilder().setKey("printer").build())
                  .getHoldersCount());
          return 0L;
        },
        "--shards.generation=1");
  }

  private long with(Function<LeaseServiceBlockingStub, Long> work, String... flags) {
    String[] all =
        Stream.concat(
                Stream.of(
                    "--port=0",
                    "--admin-port=0",
                    "--drain.pause=0s",
                    "--data-dir=" + directory.resolve("data")),
                Stream.of(flags))
            .toArray(String[]::new);
    try (PlinthServer plinthServer =
        PlinthServer.start(TestSettings.read(PlinthSettings.class, all))) {
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("127.0.0.1", plinthServer.port()).usePlaintext().build();
      try {
        return work.apply(LeaseServiceGrpc.newBlockingStub(channel));
      } finally {
        channel.shutdownNow();
      }
    }
  }

  /** The token of a grant that is released again. */
  private static long cycle(LeaseServiceBlockingStub leases) {
    AcquireResponse granted =
        leases.acquire(AcquireRequest.newBuilder().setKey("printer").setOwnerId("ann").build());
    long token = granted.getLease().getToken();
    leases.release(ReleaseRequest.newBuilder().setKey("printer").setToken(token).build());
    return token;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      files.forEach(
          file -> {
            try {
              Files.copy(file, to.resolve(from.relativize(file).toString()));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(file -> assertTrue(file.toFile().delete(), file.toString()));
    }
  }
}
