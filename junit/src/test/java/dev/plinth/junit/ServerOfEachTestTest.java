package dev.plinth.junit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.RegisterExtension;

/** In an instance field: what one test has taken, the next one finds free. */
class ServerOfEachTestTest {
  @RegisterExtension final PlinthExtension plinth = PlinthExtension.create("--shards.count=1");

  @RepeatedTest(2)
  void server_isNew() throws Exception {
    // Not with the same client, which would release it at its end.
    try (var silent = plinth.clientBuilder().owner("silent").build()) {
      assertTrue(silent.leases().tryAcquire("once").isPresent());
    }
    assertTrue(plinth.client().leases().tryAcquire("taken").isPresent());
  }
}
