package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LatelyTest {
  private final List<Object> gone = new ArrayList<>();
  private final Lately<Integer, Object> lately = new Lately<>(10, key -> new Object(), gone::add);

  @Test
  void whatIsAskedFor_isKept_overAnyNumberOfOthers() {
    Object first = lately.get(0);
    for (int i = 1; i < 1000; i++) {
      assertSame(first, lately.get(0));
      lately.get(i);
      assertTrue(lately.size() <= 10, "size: " + lately.size());
    }
    assertEquals(1000, gone.size() + lately.size());
  }

  @Test
  void whatNobodyAsksFor_isLetGo_inTheSecondTurn() {
    Object first = lately.get(0);
    lately.turn();
    assertEquals(List.of(), gone);
    lately.turn();
    assertEquals(List.of(first), gone);
    assertNotSame(first, lately.get(0));
  }

  @Test
  void whatIsAskedForInBetween_stays() {
    Object first = lately.get(0);
    lately.turn();
    assertSame(first, lately.get(0));
    lately.turn();
    assertSame(first, lately.get(0));
  }
}
