package dev.plinth.config.grpc;

import dev.plinth.config.core.AgentExplanation;
import dev.plinth.config.core.AgentIdentity;
import dev.plinth.config.core.AgentPage;
import dev.plinth.config.core.AgentProgress;
import dev.plinth.config.core.AgentView;
import dev.plinth.config.core.AssignedRelease;
import dev.plinth.config.core.ConfigName;
import dev.plinth.config.core.Configs;
import dev.plinth.config.core.GroupName;
import dev.plinth.config.v1.Agent;
import dev.plinth.config.v1.AgentState;
import dev.plinth.config.v1.ExplainAgentRequest;
import dev.plinth.config.v1.ExplainAgentResponse;
import dev.plinth.config.v1.FetchSnapshotRequest;
import dev.plinth.config.v1.FetchSnapshotResponse;
import dev.plinth.config.v1.ListAgentsRequest;
import dev.plinth.config.v1.ListAgentsResponse;
import dev.plinth.registry.grpc.RegistryWire;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.WireEnum;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.StateFunction;
import dev.plinth.shards.grpc.PageTokenFormat;
import dev.plinth.shards.grpc.ShardCall;
import java.util.Arrays;
import java.util.Optional;

/** The calls that look at agents and at what they are to have. */
final class AgentCalls {
  private static final WireEnum<AgentProgress, AgentState> STATES =
      new WireEnum<>(AgentProgress.class, AgentState.class, "AGENT_STATE_");
  // The format's number, then the last agent that was looked at.
  private static final PageTokenFormat PAGES =
      new PageTokenFormat("a", "1", ".+", ConfigWire.MAX_NAME + 3);

  private AgentCalls() {}

  static StateFunction<Configs, ListAgentsResponse> list(
      String namespace, ListAgentsRequest request) {
    AgentPage.Request asked =
        new AgentPage.Request(
            ConfigWire.group(namespace, request.getGroup()),
            progress(request.getState()),
            request.hasGenerationBelow()
                ? Optional.of(ConfigWire.revision("generation_below", request.getGenerationBelow()))
                : Optional.empty(),
            RegistryWire.filters("filters", request.getFiltersList()),
            PAGES.parse(request.getPageToken(), "", (one, rest) -> rest),
            FieldChecks.pageSize(request.getPageSize()));
    return (configs, tx) -> {
      AgentPage page = configs.queries().list(asked);
      ListAgentsResponse.Builder response = ListAgentsResponse.newBuilder();
      page.agents().stream().map(AgentCalls::agent).forEach(response::addAgents);
      page.next().ifPresent(last -> response.setNextPageToken(PAGES.text(1, last)));
      return response.build();
    };
  }

  private static Optional<AgentProgress> progress(AgentState state) {
    if (state == AgentState.AGENT_STATE_UNSPECIFIED) {
      return Optional.empty();
    }
    return Optional.of(
        Arrays.stream(AgentProgress.values())
            .filter(each -> STATES.of(each) == state)
            .findFirst()
            .orElseThrow(
                () -> Failure.Invalid.field("state", "an unknown value", "an AgentState")));
  }

  private static Agent agent(AgentView view) {
    return Agent.newBuilder()
        .setNamespace(view.group().namespace())
        .setGroup(view.group().group())
        .setAgent(view.identity().name())
        .setInstance(view.identity().instance())
        .putAllLabels(view.identity().labels())
        .setConnected(view.connected())
        .setSessionId(view.sessionId())
        .setState(STATES.of(view.progress()))
        .setAssignedEpoch(view.assigned().epoch())
        .setAssignedGeneration(view.assigned().generation())
        .setEpoch(view.runs().epoch())
        .setGeneration(view.runs().generation())
        .setRejectedGeneration(view.rejection().order().generation())
        .setError(view.rejection().error())
        .build();
  }

  static StateFunction<Configs, ExplainAgentResponse> explain(
      String namespace, ExplainAgentRequest request) {
    GroupName group = ConfigWire.group(namespace, request.getGroup());
    String agent = FieldChecks.name("agent", request.getAgent(), ConfigWire.MAX_NAME);
    return (configs, tx) -> {
      AgentExplanation explained = configs.queries().explain(group, agent);
      return ExplainAgentResponse.newBuilder()
          .setAgent(agent(explained.agent()))
          .setWhy(explained.why())
          .setBucket(explained.bucket())
          .setStage(explained.stage())
          .build();
    };
  }

  static void fetch(ShardCall<Configs, FetchSnapshotRequest, FetchSnapshotResponse> call) {
    FetchSnapshotRequest request = call.request();
    ConfigName name = ConfigWire.name(call.namespace(), request.getConfig());
    String agent = FieldChecks.optionalName("agent", request.getAgent(), ConfigWire.MAX_NAME);
    AgentIdentity identity =
        AgentFields.identity("", agent, request.getInstance(), request.getLabelsMap());
    StateFunction<Configs, Optional<AssignedRelease>> find =
        (configs, tx) -> configs.queries().fetch(name, identity);
    call.runThen(find.asCommand(), AgentCalls::snapshot);
  }

  private static FetchSnapshotResponse snapshot(Optional<AssignedRelease> release) {
    FetchSnapshotResponse.Builder response = FetchSnapshotResponse.newBuilder();
    release.ifPresent(
        assigned ->
            response
                .setAssignment(SyncWire.assignment(assigned))
                .setContent(
                    ConfigWire.bytes(assigned.configs().get(0).revision().content().bytes())));
    return response.build();
  }
}
