package dev.plinth.testkit.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** The order of the sources, and what each hands out, on an engine that has them all. */
@Tag("engine")
class RedisSourcesTest {
  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  @TempDir Path temp;

  @Test
  void address_beforeAnythingElse_isUsedButNotSignalled() throws Exception {
    program("exit 1");
    try (EngineLookup engineLookup = search(Map.of("TESTKIT_REDIS", REDIS.hostPorts()))) {
      EngineNode engineNode = engineLookup.nodes().get(0);
      assertEquals(REDIS.hostPorts(), engineNode.hostPort());
      assertFalse(engineNode.controllable());
      assertThrows(TestAbortedException.class, engineNode::kill);
      assertThrows(TestAbortedException.class, engineNode::pause);
      assertThrows(TestAbortedException.class, engineNode::restart);
    }
    assertTrue(REDIS.node(0).answers(), "the end of the search ended a server it did not start");
  }

  @Test
  void program_onThePath_isTakenBeforeTheBundledOne() throws Exception {
    Path bundled = bundled();
    Path used = temp.resolve("used");
    program("touch '" + used + "'; exec '" + bundled + "' \"$@\"");
    try (EngineLookup engineLookup = search(Map.of())) {
      assertTrue(engineLookup.nodes().get(0).answers());
    }
    assertTrue(Files.exists(used));
  }

  @Test
  void program_thatDoesNotRun_isFollowedByTheBundledOne() throws Exception {
    program("echo out of order; exit 1");
    try (EngineLookup engineLookup = search(Map.of())) {
      assertTrue(engineLookup.nodes().get(0).answers());
    }
  }

  /** Fetches into a cache of its own, so this is also the uncached start. */
  private Path bundled() throws Exception {
    try (EngineLookup engineLookup = search(Map.of("PATH", ""))) {
      assertTrue(engineLookup.nodes().get(0).controllable());
    }
    try (var files = Files.walk(temp.resolve("cache"))) {
      return files.filter(file -> file.endsWith("redis-server")).findFirst().orElseThrow();
    }
  }

  private EngineLookup search(Map<String, String> more) {
    Map<String, String> env = new HashMap<>();
    env.put("PATH", temp.resolve("bin").toString());
    env.put("TESTKIT_CACHE", temp.resolve("cache").toString());
    env.putAll(more);
    return EngineLookup.over("Redis", true, RedisLauncher.sources(new TestEnvironment(env, false)));
  }

  private void program(String script) throws Exception {
    Path file = Files.createDirectories(temp.resolve("bin")).resolve("redis-server");
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    assertTrue(file.toFile().setExecutable(true));
  }
}
