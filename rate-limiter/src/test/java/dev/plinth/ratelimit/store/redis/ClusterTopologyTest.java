package dev.plinth.ratelimit.store.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers to CLUSTER SLOTS and redirections, as Redis 6.2 and 7 give them. */
class ClusterTopologyTest {
  private static final String ASKED = "redis.example.com:7000";

  private static List<Object> range(long first, long last, Object host, long port) {
    return List.of(first, last, Arrays.asList(host, port, "96a0a0b46f7a62c4".getBytes()));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void hostThatIsLeftOut_isTheOneThatWasAsked() {
    for (Object left : new Object[] {bytes(""), null, bytes("?")}) {
      ClusterTopology topology =
          ClusterTopology.parse(
              List.of(range(0, 8191, left, 7000), range(8192, 16383, bytes("10.0.0.2"), 7001)),
              ASKED);
      assertEquals(Set.of(ASKED, "10.0.0.2:7001"), topology.primaries());
      assertEquals(ASKED, topology.owners()[0]);
      assertEquals("10.0.0.2:7001", topology.owners()[SlotHash.SLOT_COUNT - 1]);
      assertTrue(topology.isComplete());
    }
  }

  @Test
  void slotsThatNobodyHas_areSeen() {
    assertTrue(ClusterTopology.parse(List.of(), ASKED).isEmpty());
    assertFalse(
        ClusterTopology.parse(List.of(range(0, 9, bytes("10.0.0.2"), 1)), ASKED).isComplete());
  }

  @ParameterizedTest
  @CsvSource({
    "MOVED 3999 10.0.0.2:6381, 10.0.0.2:6381",
    "MOVED 3999 :6381, redis.example.com:6381",
    "MOVED 3999 ?:6381, redis.example.com:6381",
    "MOVED 3999 ::1:6381, ::1:6381",
  })
  void moved_namesTheNode(String reply, String hostPort) {
    Optional<String> moved =
        ErrorReply.of(new RedisCommandExecutionException(reply)).flatMap(ErrorReply::movedTo);
    assertEquals(hostPort, ClusterTopology.resolve(moved.orElseThrow(), ASKED));
  }
}
