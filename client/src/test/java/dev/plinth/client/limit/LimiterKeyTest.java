package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LimiterKeyTest {
  private static String sent(String value) {
    return new LimiterKey("api", Map.of("tenant", value)).descriptors().get(0).getValue();
  }

  @Test
  void valueThatTheServiceTakes_isSentAsItIs() {
    assertEquals("", sent(""));
    assertEquals("a".repeat(256), sent("a".repeat(256)));
  }

  @Test
  void longValue_isShortened_andKeepsItsBeginning() {
    String sent = sent("a".repeat(10_000));
    assertEquals(256, sent.length());
    assertTrue(sent.startsWith("a".repeat(191) + "~"));
    assertEquals(sent, sent("a".repeat(10_000)));
  }

  @Test
  void longValues_ofOneBeginning_stayDifferent() {
    assertNotEquals(sent("a".repeat(257)), sent("a".repeat(258)));
    assertNotEquals(sent("a".repeat(300) + "b"), sent("a".repeat(300) + "c"));
  }

  @Test
  void valueThatLooksShortened_isNotTheLongOne() {
    String taken = sent("a".repeat(300));
    assertNotEquals(taken, sent(taken));
    assertNotEquals(sent(taken), sent(sent(taken)));
  }

  @Test
  void characterOfTwoHalves_isNotCut() {
    for (String before : new String[] {"", "a"}) {
      String sent = sent(before + "\uD83D\uDE00".repeat(200));
      assertTrue(StandardCharsets.UTF_8.newEncoder().canEncode(sent));
      assertTrue(sent.length() <= 256);
      assertNotEquals(sent, sent(sent));
    }
  }
}
