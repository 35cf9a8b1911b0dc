package dev.plinth.conventions;

import static dev.plinth.conventions.RuleChecks.java;
import static dev.plinth.conventions.RuleChecks.violations;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MachineRuleTest {
  private final Rule rule = new MachineRule();

  private static SourceFile using(String module, String expression) {
    return java(
        module, "dev.plinth.x", "X", "class X { Object x() { return " + expression + "; }}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "System.nanoTime()",
        "new Clocked(System::nanoTime)",
        "System.currentTimeMillis()",
        "Instant.now()",
        "java.time.Instant.now()",
        "InstantSource.system()",
        "Clock.systemUTC()",
        "Executors.newCachedThreadPool()",
        "new Thread(task)",
        "new java.util.concurrent.LinkedBlockingQueue<Runnable>()",
        "Thread.sleep(1)",
        "LockSupport.parkNanos(1)",
        "CompletableFuture.supplyAsync(task)",
        "future.thenApplyAsync(next)",
        "first.thenCombineAsync(second, both)",
        "future.orTimeout(1, SECONDS)",
        "future.completeOnTimeout(null, 1, SECONDS)",
        "CompletableFuture.delayedExecutor(1, SECONDS)",
        "future.join()",
        "futures.map(CompletableFuture::join)",
        "ThreadLocalRandom.current()",
        "UUID.randomUUID()",
        "key.orElseGet(UUID::randomUUID)",
        "new Random(1)",
        "key.orElseGet(SecureRandom::new)",
        "Math.random()",
        "Collections.shuffle(all)"
      })
  void whatIsNotTheMachines_isFound(String expression) {
    assertEquals(1, violations(rule, using("shards", expression)).size(), expression);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "machine.nanos().getAsLong()",
        "machine.await(future, TIMEOUT)",
        "CompletableFuture.supplyAsync(task, machine.workers(name, 1))",
        "first.thenCombineAsync(second, both, executor)",
        "Collections.shuffle(all, random)",
        "String.join(separator, all)",
        "Thread.currentThread()",
        "future.getNow(null)"
      })
  void whatIsTheMachines_isFine(String expression) {
    assertEquals(List.of(), violations(rule, using("shards", expression)), expression);
  }

  @Test
  void onlySomeModules_areLookedAt() {
    assertEquals(
        List.of(
            "standalone/src/main/java/dev/plinth/x/X.java: uses UUID.randomUUID, not the"
                + " machine's"),
        violations(
            rule, using("standalone", "UUID.randomUUID()"), using("bench", "UUID.randomUUID()")));
  }
}
