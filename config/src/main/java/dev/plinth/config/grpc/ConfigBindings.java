package dev.plinth.config.grpc;

import dev.plinth.config.core.ConfigApp;
import dev.plinth.config.core.Configs;
import dev.plinth.config.v1.ConfigDistributionServiceGrpc;
import dev.plinth.config.v1.ConfigServiceGrpc;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardBindings;
import io.grpc.BindableService;

/** The methods of both services, each with what answers it. */
public final class ConfigBindings {
  private ConfigBindings() {}

  public static BindableService documents(Shards shards, ConfigApp app) {
    DocumentCalls documents = new DocumentCalls(app.schemas());
    return new ShardBindings<Configs>(ConfigServiceGrpc.getServiceDescriptor(), shards, app)
        .call(ConfigServiceGrpc.getPutConfigMethod(), documents::put)
        .call(ConfigServiceGrpc.getGetConfigMethod(), DocumentCalls::get)
        .answer(ConfigServiceGrpc.getListConfigsMethod(), DocumentCalls::list)
        .answer(ConfigServiceGrpc.getListRevisionsMethod(), DocumentCalls::revisions)
        .call(ConfigServiceGrpc.getDiffRevisionsMethod(), DocumentCalls::diff)
        .answer(ConfigServiceGrpc.getStartRolloutMethod(), RolloutCalls::start)
        .answer(ConfigServiceGrpc.getAdvanceRolloutMethod(), RolloutCalls::advance)
        .answer(ConfigServiceGrpc.getPauseRolloutMethod(), RolloutCalls::pause)
        .answer(ConfigServiceGrpc.getResumeRolloutMethod(), RolloutCalls::resume)
        .answer(ConfigServiceGrpc.getAbortRolloutMethod(), RolloutCalls::abort)
        .answer(ConfigServiceGrpc.getRollbackMethod(), RolloutCalls::rollback)
        .answer(ConfigServiceGrpc.getGetRolloutMethod(), RolloutCalls::get)
        .watch(ConfigServiceGrpc.getWatchRolloutMethod(), RolloutWatch::new)
        .answer(ConfigServiceGrpc.getListAgentsMethod(), AgentCalls::list)
        .answer(ConfigServiceGrpc.getExplainAgentMethod(), AgentCalls::explain)
        .build();
  }

  public static BindableService distribution(Shards shards, ConfigApp app) {
    return new ShardBindings<Configs>(
            ConfigDistributionServiceGrpc.getServiceDescriptor(), shards, app)
        .call(ConfigDistributionServiceGrpc.getFetchSnapshotMethod(), AgentCalls::fetch).stream(
                ConfigDistributionServiceGrpc.getSyncMethod(), SyncStream::new)
            .build();
  }
}
