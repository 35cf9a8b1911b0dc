package dev.plinth.junit;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.PlinthClient;
import dev.plinth.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is left when an extension has ended: nothing. */
class CleanEndTest {
  private final PlinthExtension plinth = PlinthExtension.create();

  @Test
  void noThread_isLeft() throws Exception {
    useAndEnd(); // loads what stays: classes, native code, threads of the JDK
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    useAndEnd();
    // gRPC keeps threads that it shares for a second after their last use.
    Await.until("all threads have ended", () -> haveEnded(before));
  }

  private static boolean haveEnded(Set<Thread> before) {
    List<String> names =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> !before.contains(thread))
            .map(Thread::getName)
            .toList();
    if (!names.isEmpty()) {
      throw new IllegalStateException(names.toString());
    }
    return true;
  }

  private void useAndEnd() throws Exception {
    plinth.beforeAll(null);
    plinth.client().leases().tryAcquire("a").orElseThrow().onLost(() -> {});
    try (PlinthClient other = plinth.clientBuilder().owner("other").build()) {
      other.leases().tryAcquire("b").orElseThrow().onLost(() -> {});
      plinth.clock().advance(Duration.ofMinutes(1));
    }
    plinth.afterAll(null);
  }

  @Test
  void withoutAServer_thereIsNoAddress_andTheClockStillMoves() {
    IllegalStateException thrown = assertThrows(IllegalStateException.class, plinth::address);
    assertTrue(thrown.getMessage().contains("@RegisterExtension"), thrown.getMessage());
    plinth.clock().advance(Duration.ofDays(1));
  }

  @Test
  void badSetting_isRefusedByName() {
    PlinthExtension bad = PlinthExtension.create("--shards.count=0");
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> bad.beforeAll(null));
    assertTrue(refused.getMessage().contains("shards.count"), refused.getMessage());
  }
}
