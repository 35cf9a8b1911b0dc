package dev.plinth.server.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.Policy;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MessageFieldsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration HOUR = Duration.ofHours(1);

  private final MessageFields fields =
      new MessageFields(
          Policy.newBuilder().setMinTtl(Durations.fromSeconds(5)).setMaxLeases(7).build(),
          "policy.");

  @Test
  void fields_areFoundByName() {
    assertEquals(7, fields.between("max_leases", 0, 10));
    assertEquals(Duration.ofSeconds(5), fields.duration("min_ttl", HOUR, SECOND, HOUR));
    assertEquals(HOUR, fields.duration("max_ttl", HOUR, SECOND, HOUR), "the default");
  }

  @Test
  void fieldOutOfBounds_isRefusedByItsPath() {
    assertEquals("policy.max_leases", refused(() -> fields.between("max_leases", 0, 6)));
    assertEquals("policy.min_ttl", refused(() -> fields.duration("min_ttl", HOUR, SECOND, SECOND)));
  }

  private static String refused(Runnable check) {
    return assertThrows(Failure.Invalid.class, check::run).violations().get(0).field();
  }

  private enum Known {
    SHARED
  }

  private enum Unknown {
    SHARED,
    BORROWED
  }

  @Test
  void enumThatTheProtoHasNot_isFoundWhenTheMappingIsMade() {
    assertEquals(
        Mode.MODE_SHARED, new WireEnum<>(Known.class, Mode.class, "MODE_").of(Known.SHARED));
    assertThrows(
        IllegalArgumentException.class, () -> new WireEnum<>(Unknown.class, Mode.class, "MODE_"));
  }
}
