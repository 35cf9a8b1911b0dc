package dev.plinth.testkit.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("engine")
class SupervisedProcessTest {
  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  @TempDir Path temp;

  @Test
  void jvm_killed_leavesNeitherServerNorFolder() throws Exception {
    Process child = ChildJvm.start(HoldsRedis.class, temp);
    long server = Long.parseLong(child.inputReader().readLine());
    assertTrue(running(server));
    assertEquals(1, folders());

    child.destroyForcibly().waitFor();

    Await.until("the end of the server", () -> !running(server));
    Await.until("the end of the folder", () -> folders() == 0);
  }

  @Test
  void jvm_killedWhileTheServerIsDead_leavesNoFolder() throws Exception {
    Process child = ChildJvm.start(HoldsRedis.class, temp, "kill");
    long server = Long.parseLong(child.inputReader().readLine());
    assertEquals("killed", child.inputReader().readLine());
    assertFalse(running(server));
    assertEquals(1, folders());

    child.destroyForcibly().waitFor();

    Await.until("the end of the folder", () -> folders() == 0);
  }

  @Test
  void alive_ofAServerThatEnded_isFalse() throws IOException {
    SupervisedProcess supervisedProcess = leash("echo so long");
    supervisedProcess.start();
    Await.until("the end of the server", () -> !supervisedProcess.alive());
    assertEquals("so long\n", supervisedProcess.logTail());
    supervisedProcess.close();
  }

  @Test
  void start_afterKill_isAnotherProcessInTheSameFolder() throws IOException {
    SupervisedProcess supervisedProcess = leash("echo hello; exec sleep 1000");
    supervisedProcess.start();
    long first = supervisedProcess.say("ASK");
    Await.until("the log", () -> supervisedProcess.logTail().equals("hello\n"));
    supervisedProcess.kill();
    assertFalse(supervisedProcess.alive());
    supervisedProcess.start();
    assertNotEquals(first, supervisedProcess.say("ASK"));
    Await.until("the log", () -> supervisedProcess.logTail().equals("hello\nhello\n"));
    supervisedProcess.close();
    assertEquals(0, folders());
  }

  @Test
  void kill_ofAPausedServer_endsIt() throws IOException {
    SupervisedProcess supervisedProcess = leash("exec sleep 1000");
    supervisedProcess.start();
    supervisedProcess.pause();
    assertTrue(supervisedProcess.alive());
    supervisedProcess.kill();
    assertFalse(supervisedProcess.alive());
    supervisedProcess.kill();
    supervisedProcess.close();
  }

  private SupervisedProcess leash(String script) throws IOException {
    Path directory = Files.createTempDirectory(temp, "plinth-");
    return new SupervisedProcess(directory, Map.of(), List.of("sh", "-c", script));
  }

  private static boolean running(long process) {
    return ProcessHandle.of(process).map(ProcessHandle::isAlive).orElse(false);
  }

  private long folders() throws IOException {
    try (Stream<Path> files = Files.list(temp)) {
      return files.filter(file -> file.getFileName().toString().startsWith("plinth-")).count();
    }
  }

  /** Starts a Redis of its own, prints its process id, and waits to be killed. */
  static final class HoldsRedis {
    public static void main(String[] args) throws Exception {
      Map<String, String> env = new HashMap<>(System.getenv());
      env.remove("TESTKIT_REDIS");
      TestEnvironment testEnvironment = new TestEnvironment(env, false);
      EngineNode engineNode =
          EngineLookup.over("Redis", true, RedisLauncher.sources(testEnvironment)).nodes().get(0);
      // By its place below the leash's shell: its name may be that of a link's target.
      System.out.println(
          ProcessHandle.current()
              .children()
              .flatMap(ProcessHandle::children)
              .findFirst()
              .orElseThrow()
              .pid());
      if (args.length > 0) {
        engineNode.kill();
        System.out.println("killed");
      }
      Thread.currentThread().join();
    }
  }
}
