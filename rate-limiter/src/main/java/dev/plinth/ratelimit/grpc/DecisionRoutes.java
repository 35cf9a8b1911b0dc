package dev.plinth.ratelimit.grpc;

import dev.plinth.options.v1.CallKind;
import dev.plinth.options.v1.CallOptions;
import dev.plinth.options.v1.Role;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Route;
import dev.plinth.shards.Shards;
import io.grpc.MethodDescriptor;
import java.util.Optional;

/**
 * Says which node answers a call. Policies belong to the owner of their domain's shard. Where all
 * nodes share their budgets, any node decides; otherwise that owner does.
 *
 * @param shared whether all nodes have the same budgets
 */
record DecisionRoutes(Shards shards, boolean shared) {
  // Envoy's proto is not ours to declare anything in.
  private static final CallOptions ENVOY =
      CallOptions.newBuilder()
          .setKind(CallKind.CALL_KIND_MUTATION)
          .setRole(Role.ROLE_USER)
          .setDomain("domain")
          .setAnyNodeIfShared(true)
          .build();

  /** What a method declares, if its calls are for the owner of their domain alone. */
  Optional<CallDeclaration> routing(MethodDescriptor<?, ?> method) {
    CallDeclaration declaration =
        RateLimitServiceGrpc.SERVICE_NAME.equals(method.getServiceName())
            ? CallDeclaration.of(method)
            : CallDeclaration.of(method, ENVOY);
    return shared && declaration.isAnyNodeIfShared() ? Optional.empty() : Optional.of(declaration);
  }

  /** Whether this node decides for a domain. */
  boolean isDecidedHere(String domain) {
    if (shared) {
      return true;
    }
    try {
      int shard = shards.shardOf(FieldChecks.domain("domain", domain));
      return shards.routes().of(shard).location() == Route.Location.LOCAL;
    } catch (Failure.Invalid e) {
      return true; // to be refused by name
    }
  }
}
