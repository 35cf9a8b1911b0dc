package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.client.lease.LeaseHandle;
import dev.plinth.client.lease.LeaseLostException;
import dev.plinth.client.LeaseState;
import dev.plinth.junit.PlinthExtension;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The real services in this process, on a clock that the test moves. */
class LeaseRunsOutTest {
  @RegisterExtension static final PlinthExtension plinth = PlinthExtension.create();

  @Test
  void holder_isStopped_whenItsLeaseRunsOut() throws InterruptedException {
    LeaseHandle lease = plinth.client().leases().tryAcquire("invoices").orElseThrow();
    assertEquals(LeaseState.SAFE, lease.state());

    plinth.clock().advance(Duration.ofMinutes(1)); // takes no time

    assertEquals(LeaseState.LOST, lease.state());
    assertThrows(LeaseLostException.class, lease::requireHeld);
  }
}
