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

class SearchTest {
  private static final Source BARE =
      new Source(
          "shelf",
          () -> {
            throw new UnavailableException("it is bare");
          });
  private static final Source BROKEN =
      new Source(
          "workshop",
          () -> {
            throw new IOException("the saw is blunt");
          });

  @TempDir Path temp;

  @Test
  void nodes_missingOnCi_failsWithAllThatWasTried() {
    Search search = Search.over("anvil", true, List.of(BARE, BROKEN));
    String message = assertThrows(AssertionError.class, search::nodes).getMessage();
    assertTrue(message.contains("no anvil"), message);
    assertTrue(message.contains("shelf: it is bare"), message);
    assertTrue(message.contains("workshop: java.io.IOException: the saw is blunt"), message);
  }

  @Test
  void nodes_missingElsewhere_abortsWithAllThatWasTried() {
    Search search = Search.over("anvil (meant to be missing)", false, List.of(BARE, BROKEN));
    String message = assertThrows(TestAbortedException.class, search::nodes).getMessage();
    assertTrue(message.contains("shelf: it is bare"), message);
    assertTrue(message.contains("workshop: java.io.IOException: the saw is blunt"), message);
  }

  @Test
  void over_severalThatHaveIt_takesTheFirst() {
    List<Node> first = List.of(new Node(Ports.local(1), address -> true, null));
    Source store = new Source("store", () -> first);
    Source later = new Source("later", () -> fail("was asked"));
    assertSame(first, Search.over("anvil", true, List.of(BARE, store, later)).nodes());
  }

  @Test
  void etcd_onABareMachine_namesEverySource() {
    Map<String, String> env = Map.of("PATH", temp.toString(), "TESTKIT_CACHE", temp + "/cache");
    Search search = Search.over("etcd", true, Etcd.sources(new Machine(env, false), 1));
    String message = assertThrows(AssertionError.class, search::nodes).getMessage();
    assertTrue(message.contains("no etcd on the PATH"), message);
    assertTrue(message.contains("no apt-get on the PATH"), message);
    assertTrue(message.contains("no Docker"), message);
  }

  @Test
  void etcd_givenFewerMembersThanAskedFor_saysSo() {
    Machine machine = new Machine(Map.of("TESTKIT_ETCD", "localhost:1,localhost:2"), false);
    Search search = Search.over("etcd cluster", true, Etcd.sources(machine, 3));
    String message = assertThrows(AssertionError.class, search::nodes).getMessage();
    assertTrue(message.contains("too few addresses (expected: 3)"), message);
  }
}
