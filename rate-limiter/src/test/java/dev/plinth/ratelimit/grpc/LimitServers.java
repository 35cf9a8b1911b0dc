package dev.plinth.ratelimit.grpc;

import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;
import org.opentest4j.TestAbortedException;

/** One server a store of budgets for all test classes. */
final class LimitServers implements ArgumentsProvider {
  static final SharedEngine REDIS = Engines.redis();

  @Override
  public Stream<? extends Arguments> provideArguments(
      ParameterDeclarations parameters, ExtensionContext context) {
    Store servers = context.getRoot().getStore(Namespace.create(LimitServers.class));
    LimitServer embedded =
        servers.getOrComputeIfAbsent("embedded", name -> LimitServer.embedded(), LimitServer.class);
    return hasRedis(context)
        ? Stream.of(
            Arguments.of(embedded),
            Arguments.of(
                servers.getOrComputeIfAbsent(
                    "redis", name -> LimitServer.onRedis(REDIS.hostPorts()), LimitServer.class)))
        : Stream.of(Arguments.of(embedded));
  }

  /** The search for it prints why there is none; on CI it fails. */
  private static boolean hasRedis(ExtensionContext context) {
    try {
      REDIS.beforeAll(context);
      return true;
    } catch (TestAbortedException e) {
      return false;
    }
  }
}
