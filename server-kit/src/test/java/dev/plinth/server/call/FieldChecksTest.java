package dev.plinth.server.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.util.Durations;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class FieldChecksTest {
  private static final Duration MIN = Duration.ofMillis(100);
  private static final Duration MAX = Duration.ofHours(1);

  @Test
  void namespace_isDefaultIfEmpty_andPlainOtherwise() {
    assertEquals("default", FieldChecks.namespace(""));
    assertEquals("a-1", FieldChecks.namespace("a-1"));
    assertRefused(
        "namespace: \"A b\" (expected: 1..63 of a-z, 0-9 and -, not starting with -)",
        () -> FieldChecks.namespace("A b"));
    assertRefused("namespace: \"-a\"", () -> FieldChecks.namespace("-a"));
    assertRefused("namespace: ", () -> FieldChecks.namespace("a".repeat(64)));
  }

  @Test
  void domain_takesTheNamesOfOtherSystems() {
    assertEquals("default", FieldChecks.domain("domain", ""));
    for (String name : List.of("mongo_cps", "A.b:c/d-e", "9", "x".repeat(128))) {
      assertEquals(name, FieldChecks.domain("domain", name));
    }
    for (String name : List.of("-a", "_a", "a b", "a}b", "a{b", "\u00e4", "x".repeat(129))) {
      assertRefused("domain: \"", () -> FieldChecks.domain("domain", name));
    }
  }

  @Test
  void name_isBounded_andCannotForgeALine() {
    assertEquals("a b/ä", FieldChecks.name("key", "a b/ä", 10));
    assertRefused(
        "key: \"\" (expected: 1..3 characters without control or format characters)",
        () -> FieldChecks.name("key", "", 3));
    assertRefused("key: \"abcd\"", () -> FieldChecks.name("key", "abcd", 3));
    assertRefused("key: \"a?b\"", () -> FieldChecks.name("key", "a\nb", 3));
    assertEquals("", FieldChecks.optionalName("key", "", 3));
  }

  @Test
  void name_cannotPassForAnother() {
    for (String hidden :
        new String[] {"\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\u0085"}) {
      assertRefused("key: \"a?b\"", () -> FieldChecks.name("key", "a" + hidden + "b", 10));
    }
    assertRefused("key: \"a?b\"", () -> FieldChecks.name("key", "a\ud800b", 10));
    assertEquals("ключ/鍵/😀", FieldChecks.name("key", "ключ/鍵/😀", 10));
  }

  @Test
  void durationThatIsNone_canBeShown() {
    assertEquals("5s", FieldChecks.text(Durations.fromSeconds(5)));
    assertEquals("0.100s", FieldChecks.text(Duration.ofMillis(100)));
    assertEquals(
        "not a duration",
        FieldChecks.text(
            com.google.protobuf.Duration.newBuilder().setSeconds(1).setNanos(-1).build()));
  }

  @Test
  void duration_isBounded_andSaysSoAsACallerTypesIt() {
    assertEquals(MAX, duration(null));
    assertEquals(Duration.ofMillis(250), duration(Durations.fromNanos(250_900_000)));
    assertRefused("ttl: 0s (expected: 0.100s..3600s)", () -> duration(Durations.fromSeconds(0)));
    assertRefused("ttl: 3601s", () -> duration(Durations.fromSeconds(3601)));
    assertRefused(
        "ttl: not a duration",
        () ->
            duration(com.google.protobuf.Duration.newBuilder().setSeconds(1).setNanos(-1).build()));
  }

  @Test
  void number_isBounded() {
    assertEquals(5, FieldChecks.between("n", 5, 0, 5));
    assertRefused("n: 6 (expected: 0..5)", () -> FieldChecks.between("n", 6, 0, 5));
  }

  private static Duration duration(com.google.protobuf.Duration value) {
    return FieldChecks.duration("ttl", value, MAX, MIN, MAX);
  }

  private static void assertRefused(String message, Executable check) {
    String told = assertThrows(Failure.Invalid.class, check).getMessage();
    assertEquals(message, told.substring(0, Math.min(message.length(), told.length())));
  }
}
