package dev.plinth.junit;

import dev.plinth.client.PlinthClient;
import dev.plinth.client.PlinthClientBuilder;
import io.grpc.Channel;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Leases, elections, ids and rate limits in the test's process: the real services behind gRPC on a
 * free port, with their data in a temporary directory, on a clock that the test moves.
 *
 * <pre>{@code
 * @RegisterExtension static final PlinthExtension plinth = PlinthExtension.create();
 *
 * @Test
 * void worker_stops_whenItsLeaseRunsOut() throws Exception {
 *   LeaseHandle lease = plinth.client().leases().tryAcquire("job").orElseThrow();
 *   plinth.clock().advance(Duration.ofSeconds(30));
 *   assertEquals(LeaseState.LOST, lease.state());
 * }
 * }</pre>
 *
 * <p>In a static field it serves all tests of the class, which then share data and time; in an
 * instance field each test gets a server of its own. Everything has ended when the class or the
 * test has. Extensions share nothing, so test classes may run in parallel.
 *
 * <p>Time is that of {@link #clock}, for the services and for clients from here. Any other client
 * of {@link #address} has its own clock, with heartbeats by real time: once the clock is moved
 * beyond its session's ttl, the server takes it for dead, and only its next call tells it so.
 * Deadlines of calls and pauses before retries are real time everywhere.
 */
public final class PlinthExtension
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
  private final TestClock clock = new TestClock();
  private final List<String> flags;
  private RunningServer server;
  private int users;

  private PlinthExtension(List<String> flags) {
    this.flags = flags;
  }

  public static PlinthExtension create() {
    return create(new String[0]);
  }

  /**
   * With settings of the server, as the {@code plinth} command takes them; for instance {@code
   * --shards.count=1}.
   */
  public static PlinthExtension create(String... flags) {
    return new PlinthExtension(List.of(flags));
  }

  /** The time of the services and of the clients from here. */
  public TestClock clock() {
    return clock;
  }

  /** Where the server listens, {@code host:port}: the target of any gRPC client. */
  public String address() {
    return server().address();
  }

  /** For stubs of the generated API, for instance to define policies. Closed with the server. */
  public Channel channel() {
    return server().channel();
  }

  /**
   * A client with the clock of this server. It is always the same one, and ends with the server.
   */
  public PlinthClient client() {
    return server().client();
  }

  /**
   * For further clients with the clock of this server, such as a second owner. The caller closes
   * what it builds; its connection ends with the server at the latest.
   */
  public PlinthClientBuilder clientBuilder() {
    return server().clientBuilder();
  }

  private synchronized RunningServer server() {
    if (server == null) {
      throw new IllegalStateException(
          "the server does not run (expected: a field with @RegisterExtension, used in a test)");
    }
    return server;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    begin();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    begin();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    end();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    end();
  }

  /**
   * Called for classes, nested classes and tests: the first starts the server, the last ends it.
   */
  private synchronized void begin() {
    if (users == 0) {
      server = RunningServer.start(clock, flags);
    }
    users++;
  }

  private synchronized void end() {
    users--;
    if (users == 0) {
      server.close();
      server = null;
    }
  }
}
