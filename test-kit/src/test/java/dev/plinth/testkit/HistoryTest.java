package dev.plinth.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.History.Ending;
import dev.plinth.testkit.History.Operation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {
  private final ManualClock clock = new ManualClock();
  private final History<String, Integer> history = new History<>(clock.nanos());

  @Test
  void operations_areInOrderOfTheirStart_withEndings() {
    History<String, Integer>.Call first = history.invoke(1, "read");
    History<String, Integer>.Call second = history.invoke(2, "write");
    second.ok(7);
    first.failed();
    history.invoke(1, "lost").unknown();
    history.invoke(2, "open");

    List<Operation<String, Integer>> seen = history.operations();
    assertEquals(
        List.of("read", "write", "lost", "open"), seen.stream().map(Operation::input).toList());
    assertEquals(
        List.of(Ending.FAILED, Ending.OK, Ending.UNKNOWN, Ending.UNKNOWN),
        seen.stream().map(Operation::ending).toList());
    assertEquals(Optional.of(7), seen.get(1).output());
    assertTrue(seen.get(1).returned() < seen.get(0).returned());
    assertEquals(Long.MAX_VALUE, seen.get(2).returned());
    assertEquals(Long.MAX_VALUE, seen.get(3).returned());
  }

  @Test
  void times_areNeverEqual_evenWhenTheClockStands() {
    IntStream.range(0, 1000).parallel().forEach(i -> history.invoke(i, "op").ok(i));
    long distinct =
        history.operations().stream()
            .flatMap(op -> Stream.of(op.invoked(), op.returned()))
            .distinct()
            .count();
    assertEquals(2000, distinct);
  }

  @Test
  void end_twice_isRefused() {
    History<String, Integer>.Call call = history.invoke(1, "read");
    call.ok(1);
    assertThrows(IllegalStateException.class, call::failed);
  }

  @Test
  void write_makesALineAnOperation(@TempDir Path directory) throws Exception {
    history.invoke(1, "read").ok(3);
    history.invoke(2, "write").failed();
    Path file = directory.resolve("history");
    history.write(file);
    assertEquals(2, Files.readAllLines(file).size());
  }
}
