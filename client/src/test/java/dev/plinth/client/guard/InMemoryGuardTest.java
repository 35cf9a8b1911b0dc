package dev.plinth.client.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class InMemoryGuardTest {
  private final InMemoryGuard gate = new InMemoryGuard("register");
  private final List<String> register = new ArrayList<>();

  @Test
  void V4_staleHolder_isRefused_afterANewerOneWrote() {
    gate.write(1, () -> register.add("old"));
    gate.write(2, () -> register.add("new"));
    assertThrows(StaleTokenException.class, () -> gate.write(1, () -> register.add("late")));
    gate.write(2, () -> register.add("new again"));
    assertEquals(List.of("old", "new", "new again"), register);
  }

  @Test
  void V4_withoutTheGuard_theSameWritesCorrupt() {
    register.add("old");
    register.add("new");
    register.add("late");
    assertEquals("late", register.get(register.size() - 1));
  }

  @Test
  void admit_tellsWithoutThrowing() {
    assertTrue(gate.admit(7));
    assertTrue(gate.admit(7));
    assertFalse(gate.admit(6));
  }

  @Test
  void V4_writesOfManyThreads_areInTheOrderOfTheirTokens() {
    List<Long> written = new ArrayList<>();
    LongStream.range(0, 20_000)
        .parallel()
        .forEach(
            token -> {
              try {
                gate.write(token, () -> written.add(token));
              } catch (StaleTokenException e) {
                // Another was faster, as it may be.
              }
            });
    assertEquals(written.stream().sorted().toList(), written);
  }
}
