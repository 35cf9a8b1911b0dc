package dev.plinth.config.grpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.Durations;
import dev.plinth.config.core.RevisionContent;
import dev.plinth.config.v1.ConfigRevision;
import dev.plinth.config.v1.DiffRevisionsRequest;
import dev.plinth.config.v1.Difference;
import dev.plinth.config.v1.GetConfigRequest;
import dev.plinth.config.v1.ListConfigsRequest;
import dev.plinth.config.v1.ListConfigsResponse;
import dev.plinth.config.v1.ListRevisionsRequest;
import dev.plinth.config.v1.ListRevisionsResponse;
import dev.plinth.config.v1.PutConfigRequest;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** PutConfig, GetConfig, ListConfigs, ListRevisions, DiffRevisions. */
@OnEachStore(ConfigWiring.class)
class DocumentCallsTest {
  @Parameter ShardServer server;
  private ConfigCalls calls;

  @BeforeEach
  void begin() {
    calls = new ConfigCalls(server);
  }

  @Test
  void revision_isKeptAsItCame_overARestart() {
    ByteString signature = ByteString.copyFrom(new byte[64]);
    ConfigRevision made =
        calls
            .configs()
            .putConfig(
                calls
                    .putting(0, "{\"rate\": 1}")
                    .setSignature(signature)
                    .setKeyId("key-1")
                    .setMaxStaleness(Durations.fromSeconds(30))
                    .setComment("first")
                    .build())
            .getRevision();
    assertEquals(ByteString.EMPTY, made.getContent());
    ConfigRevision before = calls.get(0);
    assertEquals(made, before.toBuilder().clearContent().build());
    assertEquals("{\"rate\": 1}", before.getContent().toStringUtf8());
    assertArrayEquals(
        RevisionContent.sha256("{\"rate\": 1}".getBytes(StandardCharsets.UTF_8)),
        before.getSha256().toByteArray());
    server.restart();
    assertEquals(before, calls.get(0));
  }

  @Test
  void C4_ofManyWritersOnOneRevision_oneWins() {
    calls.put(0, "{}");
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<CompletableFuture<Boolean>> writers =
          IntStream.range(0, 100)
              .mapToObj(
                  i -> CompletableFuture.supplyAsync(() -> wins("{\"by\": " + i + "}"), threads))
              .toList();
      assertEquals(1, writers.stream().filter(CompletableFuture::join).count());
    } finally {
      threads.shutdown();
    }
    assertEquals(2, calls.get(0).getRevision());
  }

  private boolean wins(String content) {
    try {
      calls.put(1, content);
      return true;
    } catch (StatusRuntimeException e) {
      Refusal.of(e).is(Status.Code.ABORTED, ErrorReason.ERROR_REASON_REVISION_CONFLICT);
      return false;
    }
  }

  @Test
  void C4_requestSentAgain_getsTheFirstAnswer_alsoAfterARestart() {
    PutConfigRequest request = calls.putting(0, "{}").setRequestId("once").build();
    ConfigRevision first = calls.configs().putConfig(request).getRevision();
    calls.put(1, "{\"a\": 1}");
    assertEquals(first, calls.configs().putConfig(request).getRevision());
    server.restart();
    assertEquals(first, calls.configs().putConfig(request).getRevision());
    assertEquals(2, calls.get(0).getRevision());
  }

  @Test
  void validateOnly_changesNothing_andIsNotRemembered() {
    PutConfigRequest.Builder request = calls.putting(0, "{}").setValidateOnly(true);
    assertEquals(1, calls.configs().putConfig(request.build()).getRevision().getRevision());
    Refusal.of(() -> calls.get(0))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_CONFIG_UNKNOWN);
    Refusal.of(() -> calls.configs().putConfig(request.setContent(utf8("{")).build()))
        .isOfField("content", ErrorReason.ERROR_REASON_CONTENT_INVALID);
  }

  private static ByteString utf8(String text) {
    return ByteString.copyFromUtf8(text);
  }

  @Test
  void schema_holdsForLaterRevisions_untilItIsTakenAway() {
    String schema = "{\"properties\": {\"rate\": {\"type\": \"integer\"}}}";
    calls.configs().putConfig(calls.putting(0, "{\"rate\": 1}").setJsonSchema(schema).build());
    Refusal.of(() -> calls.put(1, "{\"rate\": \"x\"}"))
        .isOfField("content", ErrorReason.ERROR_REASON_CONTENT_INVALID);
    server.restart();
    Refusal.of(() -> calls.put(1, "{\"rate\": \"x\"}"))
        .isOfField("content", ErrorReason.ERROR_REASON_CONTENT_INVALID);
    Refusal.of(
            () ->
                calls
                    .configs()
                    .putConfig(calls.putting(1, "x").setContentType("text/plain").build()))
        .isOfField("content_type", ErrorReason.ERROR_REASON_FIELD_INVALID);
    assertEquals(1, calls.put(1, "{\"rate\": 2}").getSchemaRevision());
    assertEquals(
        schema,
        calls
            .configs()
            .getConfig(
                GetConfigRequest.newBuilder()
                    .setNamespace(calls.namespace)
                    .setConfig(ConfigCalls.LIMITS)
                    .build())
            .getJsonSchema());
    calls.configs().putConfig(calls.putting(2, "{\"rate\": \"x\"}").setJsonSchema("").build());
    calls.put(3, "{\"rate\": \"y\"}");
  }

  @Test
  void largestContent_isTaken_andAByteMoreIsNot() {
    String largest = "\"" + "x".repeat(ConfigWire.MAX_CONTENT - 2) + "\"";
    calls.put(0, largest);
    assertEquals(largest, calls.get(1).getContent().toStringUtf8());
    Refusal.of(() -> calls.put(1, largest.replace("x\"", "xx\"")))
        .isOfField("content", ErrorReason.ERROR_REASON_FIELD_INVALID);
  }

  @Test
  void lists_comeInPages() {
    for (int i = 0; i < 5; i++) {
      calls.put(i, "{\"n\": " + i + "}");
    }
    ListRevisionsRequest.Builder revisions =
        ListRevisionsRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setConfig(ConfigCalls.LIMITS)
            .setPageSize(3);
    ListRevisionsResponse first = calls.configs().listRevisions(revisions.build());
    assertEquals(List.of(5L, 4L, 3L), numbers(first));
    ListRevisionsResponse second =
        calls.configs().listRevisions(revisions.setPageToken(first.getNextPageToken()).build());
    assertEquals(List.of(2L, 1L), numbers(second));
    assertEquals("", second.getNextPageToken());
    calls.configs().putConfig(calls.putting(0, "{}").setConfig("other").build());
    ListConfigsRequest.Builder configs =
        ListConfigsRequest.newBuilder().setNamespace(calls.namespace).setPageSize(1);
    ListConfigsResponse page = calls.configs().listConfigs(configs.build());
    assertEquals(5, page.getConfigs(0).getNewestRevision());
    page = calls.configs().listConfigs(configs.setPageToken(page.getNextPageToken()).build());
    assertEquals("other", page.getConfigs(0).getConfig());
    assertEquals("", page.getNextPageToken());
  }

  private static List<Long> numbers(ListRevisionsResponse page) {
    return page.getRevisionsList().stream().map(ConfigRevision::getRevision).toList();
  }

  @Test
  void diff_showsWhatIsDifferent() {
    calls.put(0, "{\"rate\": 1}");
    calls.put(1, "{\"rate\": 2}");
    DiffRevisionsRequest.Builder request =
        DiffRevisionsRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setConfig(ConfigCalls.LIMITS)
            .setFromRevision(1);
    assertEquals(
        List.of(
            Difference.newBuilder()
                .setType(Difference.Type.TYPE_CHANGED)
                .setPath("/rate")
                .setBefore("1")
                .setAfter("2")
                .build()),
        calls.configs().diffRevisions(request.build()).getDifferencesList());
    Refusal.of(() -> calls.configs().diffRevisions(request.setToRevision(3).build()))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_REVISION_UNKNOWN);
  }
}
