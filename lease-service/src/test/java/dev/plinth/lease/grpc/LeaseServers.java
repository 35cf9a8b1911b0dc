package dev.plinth.lease.grpc;

import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;
import org.opentest4j.TestAbortedException;

/** One server a store for all test classes, each test of which takes a namespace of its own. */
final class LeaseServers implements ArgumentsProvider {
  private static final Namespace SERVERS = Namespace.create(LeaseServers.class);
  // Watches are to tell of progress within a test's time.
  private static final String PROGRESS = "--progress-interval=100ms";

  @Override
  public Stream<? extends Arguments> provideArguments(
      ParameterDeclarations parameters, ExtensionContext context) {
    Store servers = context.getRoot().getStore(SERVERS);
    LeaseServer embedded =
        servers.getOrComputeIfAbsent(
            "embedded", name -> LeaseServer.embedded(PROGRESS), LeaseServer.class);
    return hasEtcd(context)
        ? Stream.of(Arguments.of(embedded), Arguments.of(onEtcd(servers)))
        : Stream.of(Arguments.of(embedded));
  }

  private static LeaseServer onEtcd(Store servers) {
    return servers.getOrComputeIfAbsent(
        "etcd", name -> LeaseServer.onEtcd(ETCD, prefix(), PROGRESS), LeaseServer.class);
  }

  static final SharedEngine ETCD = Engines.etcd();

  static String prefix() {
    return "/test/" + UUID.randomUUID() + "/";
  }

  /** The search for it prints why there is none; on CI it fails. */
  private static boolean hasEtcd(ExtensionContext context) {
    try {
      ETCD.beforeAll(context);
      return true;
    } catch (TestAbortedException e) {
      return false;
    }
  }
}
