package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GenerationalLoadingCacheTest {
  private final List<Object> gone = new ArrayList<>();
  private final GenerationalLoadingCache<Integer, Object> generationalLoadingCache =
      new GenerationalLoadingCache<>(10, key -> new Object(), gone::add);

  @Test
  void whatIsAskedFor_isKept_overAnyNumberOfOthers() {
    Object first = generationalLoadingCache.get(0);
    for (int i = 1; i < 1000; i++) {
      assertSame(first, generationalLoadingCache.get(0));
      generationalLoadingCache.get(i);
      assertTrue(generationalLoadingCache.size() <= 10, "size: " + generationalLoadingCache.size());
    }
    assertEquals(1000, gone.size() + generationalLoadingCache.size());
  }

  @Test
  void whatNobodyAsksFor_isLetGo_inTheSecondTurn() {
    Object first = generationalLoadingCache.get(0);
    generationalLoadingCache.startGeneration();
    assertEquals(List.of(), gone);
    generationalLoadingCache.startGeneration();
    assertEquals(List.of(first), gone);
    assertNotSame(first, generationalLoadingCache.get(0));
  }

  @Test
  void whatIsAskedForInBetween_stays() {
    Object first = generationalLoadingCache.get(0);
    generationalLoadingCache.startGeneration();
    assertSame(first, generationalLoadingCache.get(0));
    generationalLoadingCache.startGeneration();
    assertSame(first, generationalLoadingCache.get(0));
  }
}
