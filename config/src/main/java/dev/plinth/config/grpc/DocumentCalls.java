package dev.plinth.config.grpc;

import dev.plinth.config.content.ContentDiff;
import dev.plinth.config.content.ContentDifference;
import dev.plinth.config.content.ContentSchema;
import dev.plinth.config.content.InvalidContentException;
import dev.plinth.config.content.JsonText;
import dev.plinth.config.core.ConfigName;
import dev.plinth.config.core.ConfigView;
import dev.plinth.config.core.Configs;
import dev.plinth.config.core.PutSpec;
import dev.plinth.config.core.Revision;
import dev.plinth.config.core.RevisionContent;
import dev.plinth.config.core.RevisionView;
import dev.plinth.config.core.SchemaIndex;
import dev.plinth.config.core.SchemaIndex.SchemaVersion;
import dev.plinth.config.v1.Config;
import dev.plinth.config.v1.DiffRevisionsRequest;
import dev.plinth.config.v1.DiffRevisionsResponse;
import dev.plinth.config.v1.Difference;
import dev.plinth.config.v1.GetConfigRequest;
import dev.plinth.config.v1.GetConfigResponse;
import dev.plinth.config.v1.ListConfigsRequest;
import dev.plinth.config.v1.ListConfigsResponse;
import dev.plinth.config.v1.ListRevisionsRequest;
import dev.plinth.config.v1.ListRevisionsResponse;
import dev.plinth.config.v1.PutConfigRequest;
import dev.plinth.config.v1.PutConfigResponse;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.WireEnum;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.StateFunction;
import dev.plinth.shards.grpc.PageTokenFormat;
import dev.plinth.shards.grpc.ShardCall;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The calls that make revisions and look at them. */
final class DocumentCalls {
  private static final Duration MIN_STALENESS = Duration.ofSeconds(1);
  private static final Duration MAX_STALENESS = Duration.ofDays(7);
  private static final WireEnum<ContentDifference.Type, Difference.Type> TYPES =
      new WireEnum<>(ContentDifference.Type.class, Difference.Type.class, "TYPE_");
  // The format's number, then the last name that was listed.
  private static final PageTokenFormat CONFIG_PAGES =
      new PageTokenFormat("c", "1", "[a-z0-9.-]{1,63}", ConfigWire.MAX_CONFIG + 3);
  // The last revision that was listed.
  private static final PageTokenFormat REVISION_PAGES =
      new PageTokenFormat("r", "\\d{1,18}", "x", 22);

  private final SchemaIndex schemas;

  DocumentCalls(SchemaIndex schemas) {
    this.schemas = schemas;
  }

  /** Content is checked here, on the caller's thread: the shard has other work. */
  void put(ShardCall<Configs, PutConfigRequest, PutConfigResponse> call) {
    PutSpec spec = spec(call.namespace(), call.request());
    if (call.request().getValidateOnly()) {
      call.runUnrecorded(
          CommandPriority.NORMAL,
          (configs, tx, reply) -> reply.send(tx, response(configs.documents().validate(spec))));
    } else {
      call.run((configs, tx, reply) -> reply.send(tx, response(configs.documents().put(spec, tx))));
    }
  }

  private static PutConfigResponse response(RevisionView view) {
    return PutConfigResponse.newBuilder().setRevision(ConfigWire.revision(view)).build();
  }

  private PutSpec spec(String namespace, PutConfigRequest request) {
    ConfigName name = ConfigWire.name(namespace, request.getConfig());
    long expected = ConfigWire.optionalRevision("expected_revision", request.getExpectedRevision());
    byte[] bytes = ConfigWire.content(request.getContent());
    String type = ConfigWire.contentType(request.getContentType());
    byte[] signature = ConfigWire.signature(request.getSignature());
    String group =
        request.getAtomicGroup().isEmpty()
            ? ""
            : ConfigWire.config("atomic_group", request.getAtomicGroup());
    RevisionContent content =
        new RevisionContent(
            type,
            bytes,
            RevisionContent.sha256(bytes),
            signature,
            ConfigWire.keyId(request.getKeyId(), signature.length > 0),
            FieldChecks.optionalDuration(
                "max_staleness",
                request.hasMaxStaleness(),
                request.getMaxStaleness(),
                MIN_STALENESS,
                MAX_STALENESS));
    String actor = ConfigWire.actor(request.getActor());
    String comment = ConfigWire.comment(request.getComment());
    SchemaVersion stored = schemas.of(name);
    Optional<String> schema =
        request.hasJsonSchema() ? Optional.of(schema(request)) : Optional.empty();
    check(content, schema.orElse(stored.text()));
    return new PutSpec(name, expected, content, group, schema, stored.revision(), actor, comment);
  }

  private static String schema(PutConfigRequest request) {
    String text = request.getJsonSchema();
    if (text.length() > ConfigWire.MAX_SCHEMA) {
      throw Failure.Invalid.field(
          "json_schema", text.length() + " characters", "at most " + ConfigWire.MAX_SCHEMA);
    }
    if (!text.isEmpty()) {
      try {
        ContentSchema.parse(text);
      } catch (InvalidContentException e) {
        throw Failure.Invalid.field("json_schema", e.getMessage(), "a JSON schema");
      }
    }
    return text;
  }

  private static void check(RevisionContent content, String schema) {
    boolean json = JsonText.isJson(content.type());
    if (!json && !schema.isEmpty()) {
      throw Failure.Invalid.field(
          "content_type",
          FieldChecks.quoted(content.type()),
          "application/json, since the config has a schema");
    }
    try {
      if (json) {
        var parsed = JsonText.parse(content.bytes());
        if (!schema.isEmpty()) {
          ContentSchema.parse(schema).check(parsed);
        }
      }
    } catch (InvalidContentException e) {
      throw new Failure.Invalid(
          ErrorReason.ERROR_REASON_CONTENT_INVALID,
          List.of(new Failure.Invalid.Violation("content", e.getMessage())));
    }
  }

  static void get(ShardCall<Configs, GetConfigRequest, GetConfigResponse> call) {
    ConfigName name = ConfigWire.name(call.namespace(), call.request().getConfig());
    long revision = ConfigWire.optionalRevision("revision", call.request().getRevision());
    StateFunction<Configs, RevisionView> find =
        (configs, tx) -> configs.documents().get(name, revision);
    call.runThen(
        find.asCommand(),
        view ->
            GetConfigResponse.newBuilder()
                .setRevision(
                    ConfigWire.revision(view)
                        .setContent(ConfigWire.bytes(view.revision().content().bytes())))
                .setJsonSchema(view.schema())
                .build());
  }

  static StateFunction<Configs, ListConfigsResponse> list(
      String namespace, ListConfigsRequest request) {
    int size = FieldChecks.pageSize(request.getPageSize());
    String after = CONFIG_PAGES.parse(request.getPageToken(), "", (one, rest) -> rest);
    return (configs, tx) -> {
      List<ConfigView> page = configs.documents().list(namespace, after, size + 1);
      ListConfigsResponse.Builder response = ListConfigsResponse.newBuilder();
      page.stream().limit(size).map(DocumentCalls::config).forEach(response::addConfigs);
      if (page.size() > size) {
        response.setNextPageToken(CONFIG_PAGES.text(1, page.get(size - 1).name().config()));
      }
      return response.build();
    };
  }

  private static Config config(ConfigView view) {
    return Config.newBuilder()
        .setNamespace(view.name().namespace())
        .setConfig(view.name().config())
        .setGroup(view.group())
        .setNewestRevision(view.newest())
        .setActiveRevision(view.active())
        .setActiveGeneration(view.activeGeneration())
        .setRolloutGeneration(view.rollout())
        .build();
  }

  static StateFunction<Configs, ListRevisionsResponse> revisions(
      String namespace, ListRevisionsRequest request) {
    ConfigName name = ConfigWire.name(namespace, request.getConfig());
    int size = FieldChecks.pageSize(request.getPageSize());
    long below = REVISION_PAGES.parse(request.getPageToken(), Long.MAX_VALUE, (last, rest) -> last);
    return (configs, tx) -> {
      List<RevisionView> page = configs.documents().revisions(name, below, size + 1);
      ListRevisionsResponse.Builder response = ListRevisionsResponse.newBuilder();
      page.stream().limit(size).map(ConfigWire::revision).forEach(response::addRevisions);
      if (page.size() > size) {
        long last = page.get(size - 1).revision().number();
        response.setNextPageToken(REVISION_PAGES.text(last, "x"));
      }
      return response.build();
    };
  }

  private record RevisionPair(Revision from, Revision to) {}

  static void diff(ShardCall<Configs, DiffRevisionsRequest, DiffRevisionsResponse> call) {
    ConfigName name = ConfigWire.name(call.namespace(), call.request().getConfig());
    long from = ConfigWire.revision("from_revision", call.request().getFromRevision());
    long to = ConfigWire.optionalRevision("to_revision", call.request().getToRevision());
    StateFunction<Configs, RevisionPair> find =
        (configs, tx) ->
            new RevisionPair(
                configs.documents().get(name, from).revision(),
                configs.documents().get(name, to).revision());
    call.runThen(find.asCommand(), DocumentCalls::difference);
  }

  private static DiffRevisionsResponse difference(RevisionPair pair) {
    RevisionContent from = pair.from.content();
    RevisionContent to = pair.to.content();
    ContentDiff diff = ContentDiff.of(from.type(), from.bytes(), to.type(), to.bytes());
    DiffRevisionsResponse.Builder response =
        DiffRevisionsResponse.newBuilder()
            .setFromRevision(pair.from.number())
            .setToRevision(pair.to.number())
            .setTruncated(diff.truncated());
    for (ContentDifference each : diff.differences()) {
      response.addDifferences(
          Difference.newBuilder()
              .setType(TYPES.of(each.type()))
              .setPath(each.path())
              .setBefore(each.before())
              .setAfter(each.after()));
    }
    return response.build();
  }
}
