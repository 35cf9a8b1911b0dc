package dev.plinth.simulation.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.machine.Loop;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThreadStallTest {
  private static final long SECOND = 1_000_000_000L;

  private final Simulation simulation = new Simulation(1);
  private final SimulatedProcess process = simulation.process("p", simulation.clock("p"));
  private final SimulatedMachine machine = new SimulatedMachine(process, "p");
  private final List<String> ran = new ArrayList<>();

  private Runnable says(String what) {
    return () -> ran.add(what + " at " + simulation.now() / SECOND);
  }

  @Test
  void aStalledThread_runsWhenItsTimeIsOver_andOthersMeanwhile() {
    var one = machine.scheduler("one");
    var other = machine.scheduler("other");
    Loop loop =
        machine.loop(
            "one",
            () -> {
              says("loop").run();
              return Loop.UNTIL_WOKEN;
            });
    process.stallThreads("one"::equals, 3 * SECOND);
    one.execute(says("one"));
    one.execute(says("one again"));
    loop.start();
    other.execute(says("other"));
    simulation.runUntil(2 * SECOND);
    assertEquals(List.of("other at 0"), ran);
    simulation.runUntil(4 * SECOND);
    assertEquals(4, ran.size());
    assertTrue(
        ran.containsAll(List.of("one at 3", "one again at 3", "loop at 3"))
            && ran.indexOf("one at 3") < ran.indexOf("one again at 3"),
        ran.toString());
  }

  @Test
  void aProcessThatGoesOnAfterAPause_runsAllThatWasHeld() {
    for (int i = 0; i < 20; i++) {
      machine.scheduler("thread" + i).execute(says("thread"));
    }
    process.pause();
    simulation.runUntil(SECOND);
    assertEquals(List.of(), ran);
    process.resume();
    simulation.runUntil(SECOND);
    int atOnce = ran.size();
    assertTrue(atOnce > 0 && atOnce < 20, atOnce + " threads run at once");
    simulation.runUntil(2 * SECOND);
    assertEquals(20, ran.size());
  }
}
