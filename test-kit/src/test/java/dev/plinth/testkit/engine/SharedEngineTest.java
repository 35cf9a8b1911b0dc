package dev.plinth.testkit.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each test leaves the engine down; the next finds it up. */
@Tag("engine")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SharedEngineTest {
  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  @Test
  @Order(1)
  void kill_leavesNothingThatAnswers() {
    REDIS.kill();
    assertFalse(REDIS.node(0).answers());
  }

  @Test
  @Order(2)
  void pause_afterATestThatKilled_findsItRunning() {
    assertTrue(REDIS.node(0).answers());
    REDIS.pause();
    assertFalse(REDIS.node(0).answers());
  }

  @Test
  @Order(3)
  void kill_afterATestThatPaused_findsItRunning() {
    assertTrue(REDIS.node(0).answers());
    REDIS.pause();
    REDIS.kill();
    assertFalse(REDIS.node(0).answers());
  }
}
