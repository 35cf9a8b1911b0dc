package dev.plinth.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ForwardingMachineTest {
  /** One with a default would else not be the other machine's. */
  @Test
  void everyMethod_isPassedOn() {
    Set<List<Object>> passedOn = signatures(ForwardingMachine.class);
    Set<List<Object>> missing = signatures(Machine.class);
    missing.removeAll(passedOn);
    assertEquals(Set.of(List.of("withTime", List.of(TimeSource.class))), missing);
  }

  private static Set<List<Object>> signatures(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic())
        .map(ForwardingMachineTest::signature)
        .collect(Collectors.toSet());
  }

  private static List<Object> signature(Method method) {
    return List.of(method.getName(), List.of(method.getParameterTypes()));
  }

  @Test
  void withTime_changesTheTimeAlone() {
    TimeSource time = TimeSource.system();
    Machine machine = Machine.system().withTime(time);
    assertSame(time, machine.time());
    assertSame(Machine.system().wall(), machine.wall());
    assertSame(Machine.system().random(), machine.random());
  }
}
