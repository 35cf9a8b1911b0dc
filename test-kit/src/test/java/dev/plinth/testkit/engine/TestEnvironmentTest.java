package dev.plinth.testkit.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestEnvironmentTest {
  @TempDir Path temp;

  @Test
  void ci_isOnlyTrueWhenTheVariableSaysSo() {
    assertTrue(machine(Map.of("CI", "true")).ci());
    assertFalse(machine(Map.of("CI", "false")).ci());
    assertFalse(machine(Map.of()).ci());
  }

  @Test
  void addresses_severalJoinedByCommas_areAllRead() {
    assertEquals(
        List.of(new InetSocketAddress("127.0.0.1", 2379), new InetSocketAddress("::1", 2380)),
        machine(Map.of("A", "127.0.0.1:2379, ::1:2380")).addresses("A"));
  }

  @Test
  void addresses_withoutAPort_areRefused() {
    TestEnvironment testEnvironment = machine(Map.of("A", "localhost"));
    assertThrows(UnavailableException.class, () -> testEnvironment.addresses("A"));
  }

  @Test
  void onPath_fileThatCannotRun_isPassedOver() throws Exception {
    Path first = Files.createDirectory(temp.resolve("first"));
    Path second = Files.createDirectory(temp.resolve("second"));
    Files.writeString(first.resolve("tool"), "");
    Path tool = Files.writeString(second.resolve("tool"), "");
    assertTrue(tool.toFile().setExecutable(true));
    assertEquals(tool, machine(Map.of("PATH", first + ":" + second)).onPath("tool"));
  }

  @Test
  void cache_isTheKitsOwnThenTheUsers() {
    Map<String, String> both = Map.of("TESTKIT_CACHE", "/kit", "XDG_CACHE_HOME", "/user");
    assertEquals(Path.of("/kit"), machine(both).cache());
    assertEquals(Path.of("/user/plinth"), machine(Map.of("XDG_CACHE_HOME", "/user")).cache());
    assertTrue(machine(Map.of()).cache().endsWith(".cache/plinth"));
  }

  private static TestEnvironment machine(Map<String, String> env) {
    return new TestEnvironment(env, false);
  }
}
