package dev.plinth.config.core;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DocumentsTest extends ConfigCoreTest {
  @Test
  void put_makesRevisionsInOrder_andNoAgentGetsThem() {
    FakeAgent agent = connect("a");
    assertEquals(1, put(LIMITS, 0, "one").revision().number());
    assertEquals(2, put(LIMITS, 1, "two").revision().number());
    assertEquals(
        "two",
        new String(
            configs.documents().get(NAME, 0).revision().content().bytes(), StandardCharsets.UTF_8));
    assertArrayEquals(
        RevisionContent.sha256("one".getBytes(StandardCharsets.UTF_8)),
        configs.documents().get(NAME, 1).revision().content().sha256());
    assertEquals(List.of(), agent.received);
    assertEquals(List.of(LIMITS), agent.unassigned);
  }

  @Test
  void C4_put_withAnotherExpectedRevision_changesNothing() {
    refused(ErrorReason.ERROR_REASON_REVISION_CONFLICT, () -> put(LIMITS, 1, "one"));
    put(LIMITS, 0, "one");
    refused(ErrorReason.ERROR_REASON_REVISION_CONFLICT, () -> put(LIMITS, 0, "again"));
    refused(ErrorReason.ERROR_REASON_REVISION_CONFLICT, () -> put(LIMITS, 2, "ahead"));
    assertEquals(1, configs.documents().get(NAME, 0).revision().number());
    assertEquals(1, events.puts);
  }

  @Test
  void validate_saysWhatPutWould_andChangesNothing() {
    PutSpec spec = spec(LIMITS, "", 0, "one");
    int written = tx.written();
    assertEquals(1, configs.documents().validate(spec).revision().number());
    assertEquals(written, tx.written());
    refused(ErrorReason.ERROR_REASON_CONFIG_UNKNOWN, () -> configs.documents().get(NAME, 0));
    put(LIMITS, 0, "one");
    refused(ErrorReason.ERROR_REASON_REVISION_CONFLICT, () -> configs.documents().validate(spec));
  }

  @Test
  void group_isFixedWhenTheConfigIsMade() {
    put(LIMITS, "pair", 0, "one");
    put(LIMITS, 1, "two");
    put(LIMITS, "pair", 2, "three");
    refused(ErrorReason.ERROR_REASON_DEFINITION_FIXED, () -> put(LIMITS, "other", 3, "four"));
    assertEquals("pair", configs.documents().get(NAME, 0).group());
  }

  @Test
  void put_withContentThatWasCheckedWithAnotherSchema_isRefused() {
    put(LIMITS, 0, "one");
    PutSpec withSchema =
        new PutSpec(
            NAME, 1, spec(LIMITS, "", 1, "two").content(), "", Optional.of("{}"), 0, "olga", "");
    assertEquals(2, configs.documents().put(withSchema, tx.next()).revision().schema());
    assertEquals(2, app.schemas().of(NAME).revision());
    refused(ErrorReason.ERROR_REASON_REVISION_CONFLICT, () -> put(LIMITS, 2, "three"));
    takeOver();
    assertEquals("{}", configs.documents().get(NAME, 0).schema());
    assertEquals(2, app.schemas().of(NAME).revision());
    PutSpec without =
        new PutSpec(
            NAME, 2, spec(LIMITS, "", 2, "three").content(), "", Optional.of(""), 2, "olga", "");
    assertEquals(0, configs.documents().put(without, tx.next()).revision().schema());
    put(LIMITS, 3, "four");
  }

  @Test
  void revisions_areKeptUpToABound_andThoseInUseAlways() {
    put(LIMITS, 0, "r1");
    put(LIMITS, 1, "r2");
    start(LIMITS, 1, RolloutStage.atOnce());
    start(LIMITS, 2, RolloutStage.atOnce());
    for (int i = 2; i < 120; i++) {
      put(LIMITS, i, "r" + (i + 1));
    }
    List<Long> kept =
        configs.documents().revisions(NAME, Long.MAX_VALUE, 1000).stream()
            .map(view -> view.revision().number())
            .toList();
    assertEquals(Documents.MAX_REVISIONS, kept.size());
    assertEquals(120, kept.get(0));
    assertTrue(kept.contains(2L), "agents have it");
    assertTrue(kept.contains(1L), "it was there before, and is what a rollback goes to");
    assertFalse(kept.contains(3L));
    refused(ErrorReason.ERROR_REASON_REVISION_UNKNOWN, () -> configs.documents().get(NAME, 3));
  }

  @Test
  void revisions_areBoundInBytes() {
    String large = "x".repeat(256 << 10);
    for (int i = 0; i < 40; i++) {
      put(LIMITS, i, large + i);
    }
    long bytes =
        configs.documents().revisions(NAME, Long.MAX_VALUE, 1000).stream()
            .mapToLong(view -> view.revision().bytes())
            .sum();
    assertTrue(bytes <= Documents.MAX_BYTES, bytes + " bytes");
    assertTrue(tx.rows().values().stream().mapToInt(row -> row.length).max().getAsInt() < 1 << 20);
  }

  @Test
  void namespace_isBound_inConfigsAndBytes() {
    for (int i = 0; i < ConfigNamespace.MAX_CONFIGS; i++) {
      put("c-" + i, 0, "x");
    }
    refused(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, () -> put("one-more", 0, "x"));
    String large = "x".repeat(256 << 10);
    long full = ConfigNamespace.MAX_BYTES / large.length() - 3;
    for (int i = 0; i < full; i++) {
      put("c-" + i, 1, large);
    }
    refused(
        ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
        () -> {
          for (int i = 0; i < 4; i++) {
            put("c-" + (full + i), 1, large);
          }
        });
  }

  @Test
  void group_isBound_inConfigsAndBytes() {
    for (int i = 0; i < ConfigGroup.MAX_CONFIGS; i++) {
      put("c-" + i, "pair", 0, "x".repeat(256 << 10));
    }
    refused(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, () -> put("one-more", "pair", 0, "x"));
    Map<String, Long> many = new java.util.TreeMap<>();
    for (int i = 0; i < 17; i++) {
      many.put("c-" + i, 1L);
    }
    refused(
        ErrorReason.ERROR_REASON_FIELD_INVALID,
        () -> start(many, RolloutStage.atOnce(), RolloutGates.DEFAULT));
    many.remove("c-0");
    start(many, RolloutStage.atOnce(), RolloutGates.DEFAULT);
  }

  @Test
  void lists_arePagesOfWhatIsThere() {
    put("b", 0, "x");
    put("a", 0, "x");
    put("c", 0, "x");
    assertEquals(
        List.of("a", "b"),
        configs.documents().list(SPACE, "", 2).stream().map(view -> view.name().config()).toList());
    assertEquals(
        List.of("c"),
        configs.documents().list(SPACE, "b", 2).stream()
            .map(view -> view.name().config())
            .toList());
    assertEquals(List.of(), configs.documents().list("elsewhere", "", 2));
    clock.advance(Duration.ofSeconds(1));
    assertTrue(tx.row("config/c/default/a").startsWith("v1 a 1 0"));
  }
}
