package dev.plinth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.guard.InMemoryGuard;
import dev.plinth.client.guard.StaleTokenException;
import dev.plinth.client.lease.LeaseHandle;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientMetricsTest {
  @TempDir Path directory;
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private LeaseServer server;
  private FaultProxy proxy;

  @BeforeEach
  void start() {
    server = new LeaseServer(directory);
    proxy = FaultProxy.to("localhost", server.port());
  }

  @AfterEach
  void stop() {
    proxy.close();
    server.close();
  }

  @Test
  void whatAClientDoes_isCounted() throws Exception {
    try (PlinthClient client =
        PlinthClient.builder(proxy.address())
            .sessionTtl(Duration.ofSeconds(3))
            .metrics(meters)
            .build()) {
      client.leases().tryAcquire("one").orElseThrow().close();
      LeaseHandle two = client.leases().tryAcquire("two").orElseThrow();
      client.leases().tryAcquire("two");
      Await.until("beats", () -> timer("renewal.slack", "", "") > 0);
      proxy.cut();
      Await.until("lost", () -> two.state() == LeaseState.LOST);
      assertEquals(2, timer("acquire", "outcome", "GRANTED"));
      assertEquals(1, timer("acquire", "outcome", "NOT_GRANTED"));
      assertEquals(1, timer("hold", "end", "RELEASED"));
      Await.until("told", () -> timer("hold", "end", "LOST") == 1);
      assertTrue(meters.get("plinth.client.jeopardy").counter().count() >= 1);
      proxy.heal();
    }
  }

  @Test
  void staleTokens_ofGuards_areCounted() {
    try (PlinthClient client = PlinthClient.builder(server.target()).metrics(meters).build()) {
      InMemoryGuard gate = new InMemoryGuard("ledger").onStale(client::fenceRejected);
      gate.write(2, () -> {});
      assertThrows(StaleTokenException.class, () -> gate.write(1, () -> {}));
      assertEquals(1, meters.get("plinth.client.fence.rejections").counter().count());
    }
  }

  /** The client's classes over again, where Micrometer cannot be found. */
  @Test
  void clientWithoutMicrometer_works() throws Exception {
    URL[] classes =
        Arrays.stream(
                System.getProperty("java.class.path").split(System.getProperty("path.separator")))
            .map(ClientMetricsTest::url)
            .toArray(URL[]::new);
    ClassLoader without =
        new URLClassLoader(classes, ClassLoader.getPlatformClassLoader()) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("io.micrometer.")) {
              throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
          }
        };
    assertThrows(
        ClassNotFoundException.class,
        () -> without.loadClass("io.micrometer.core.instrument.MeterRegistry"));
    Object token =
        without
            .loadClass(Bare.class.getName())
            .getMethod("acquire", String.class)
            .invoke(null, server.target());
    assertEquals(token, server.lease("printer").getHolders(0).getToken());
  }

  /** Runs in a class loader of its own. */
  public static final class Bare {
    private Bare() {}

    @SuppressWarnings("resource") // it holds on, to be seen
    public static long acquire(String target) throws InterruptedException {
      PlinthClient client = PlinthClient.builder(target).owner("bare").build();
      client.limits().of("api", "tenant", "acme"); // loads all that this needs
      return client.leases().tryAcquire("printer").orElseThrow().token();
    }
  }

  private static URL url(String path) {
    try {
      return Path.of(path).toUri().toURL();
    } catch (java.net.MalformedURLException e) {
      throw new AssertionError(e);
    }
  }

  private long timer(String name, String tag, String value) {
    return tag.isEmpty()
        ? meters.get("plinth.client." + name).timer().count()
        : meters.get("plinth.client." + name).tag(tag, value).timer().count();
  }
}
