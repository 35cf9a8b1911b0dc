package dev.plinth.registry.grpc;

import dev.plinth.registry.core.Members;
import dev.plinth.registry.core.RegistryApp;
import dev.plinth.registry.v1.PresenceServiceGrpc;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardBindings;
import io.grpc.BindableService;

/** The methods of {@code plinth.registry.v1.PresenceService}, each with what answers it. */
public final class PresenceBindings {
  private PresenceBindings() {}

  public static BindableService on(Shards shards, RegistryApp app) {
    return new ShardBindings<Members>(PresenceServiceGrpc.getServiceDescriptor(), shards, app)
        .answer(PresenceServiceGrpc.getTrackMethod(), PresenceCalls::track)
        .answer(PresenceServiceGrpc.getUntrackMethod(), PresenceCalls::untrack)
        .answer(PresenceServiceGrpc.getListPresenceMethod(), PresenceCalls::list)
        .answer(PresenceServiceGrpc.getCountPresenceMethod(), PresenceCalls::count)
        .call(PresenceServiceGrpc.getWatchPresenceMethod(), PresenceWatch::start)
        .build();
  }
}
