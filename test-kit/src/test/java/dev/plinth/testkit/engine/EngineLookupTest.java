package dev.plinth.testkit.engine;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

class EngineLookupTest {
  private static final EngineSource BARE =
      new EngineSource(
          "shelf",
          () -> {
            throw new UnavailableException("it is bare");
          });
  private static final EngineSource BROKEN =
      new EngineSource(
          "workshop",
          () -> {
            throw new IOException("the saw is blunt");
          });

  @TempDir Path temp;

  @Test
  void nodes_missingOnCi_failsWithAllThatWasTried() {
    EngineLookup engineLookup = EngineLookup.over("anvil", true, List.of(BARE, BROKEN));
    String message = assertThrows(AssertionError.class, engineLookup::nodes).getMessage();
    assertTrue(message.contains("no anvil"), message);
    assertTrue(message.contains("shelf: it is bare"), message);
    assertTrue(message.contains("workshop: java.io.IOException: the saw is blunt"), message);
  }

  @Test
  void nodes_missingElsewhere_abortsWithAllThatWasTried() {
    EngineLookup engineLookup =
        EngineLookup.over("anvil (meant to be missing)", false, List.of(BARE, BROKEN));
    String message = assertThrows(TestAbortedException.class, engineLookup::nodes).getMessage();
    assertTrue(message.contains("shelf: it is bare"), message);
    assertTrue(message.contains("workshop: java.io.IOException: the saw is blunt"), message);
  }

  @Test
  void over_severalThatHaveIt_takesTheFirst() {
    List<EngineNode> first = List.of(new EngineNode(Ports.local(1), address -> true, null));
    EngineSource store = new EngineSource("store", () -> first);
    EngineSource later = new EngineSource("later", () -> fail("was asked"));
    assertSame(first, EngineLookup.over("anvil", true, List.of(BARE, store, later)).nodes());
  }

  @Test
  void etcd_onABareMachine_namesEverySource() {
    Map<String, String> env = Map.of("PATH", temp.toString(), "TESTKIT_CACHE", temp + "/cache");
    EngineLookup engineLookup =
        EngineLookup.over("etcd", true, EtcdLauncher.sources(new TestEnvironment(env, false), 1));
    String message = assertThrows(AssertionError.class, engineLookup::nodes).getMessage();
    assertTrue(message.contains("no etcd on the PATH"), message);
    assertTrue(message.contains("no apt-get on the PATH"), message);
    assertTrue(message.contains("no Docker"), message);
  }

  @Test
  void etcd_givenFewerMembersThanAskedFor_saysSo() {
    TestEnvironment testEnvironment =
        new TestEnvironment(Map.of("TESTKIT_ETCD", "localhost:1,localhost:2"), false);
    EngineLookup engineLookup =
        EngineLookup.over("etcd cluster", true, EtcdLauncher.sources(testEnvironment, 3));
    String message = assertThrows(AssertionError.class, engineLookup::nodes).getMessage();
    assertTrue(message.contains("too few addresses (expected: 3)"), message);
  }
}
