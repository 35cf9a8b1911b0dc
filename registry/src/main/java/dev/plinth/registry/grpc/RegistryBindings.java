package dev.plinth.registry.grpc;

import dev.plinth.registry.core.Members;
import dev.plinth.registry.core.RegistryApp;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardBindings;
import io.grpc.BindableService;

/** The methods of {@code plinth.registry.v1.RegistryService}, each with what answers it. */
public final class RegistryBindings {
  private RegistryBindings() {}

  public static BindableService on(Shards shards, RegistryApp app) {
    return new ShardBindings<Members>(RegistryServiceGrpc.getServiceDescriptor(), shards, app)
        .answer(RegistryServiceGrpc.getOpenSessionMethod(), MemberSessionCalls::open).stream(
                RegistryServiceGrpc.getKeepAliveMethod(), KeepAliveStream::new)
            .command(RegistryServiceGrpc.getBeatMethod(), MemberSessionCalls::beat)
            .command(RegistryServiceGrpc.getCloseSessionMethod(), MemberSessionCalls::close)
            .answer(RegistryServiceGrpc.getRegisterMethod(), MemberCalls::register)
            .answer(RegistryServiceGrpc.getUpdateMemberMethod(), MemberCalls::update)
            .answer(RegistryServiceGrpc.getDeregisterMethod(), MemberCalls::deregister)
            .answer(RegistryServiceGrpc.getGetMemberMethod(), MemberQueryCalls::get)
            .answer(RegistryServiceGrpc.getListMembersMethod(), MemberQueryCalls::list)
            .watch(RegistryServiceGrpc.getWatchMembersMethod(), MemberWatch::new)
            .answer(RegistryServiceGrpc.getSetOverrideMethod(), MemberCalls::setOverride)
            .command(RegistryServiceGrpc.getReleaseExpiryHoldMethod(), MemberCalls::releaseHold)
            .answer(RegistryServiceGrpc.getExplainMemberMethod(), MemberQueryCalls::explain)
            .build();
  }
}
