package dev.plinth.id.grpc;

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
final class IdServers implements ArgumentsProvider {
  private static final Namespace SERVERS = Namespace.create(IdServers.class);

  @Override
  public Stream<? extends Arguments> provideArguments(
      ParameterDeclarations parameters, ExtensionContext context) {
    Store servers = context.getRoot().getStore(SERVERS);
    IdServer embedded =
        servers.getOrComputeIfAbsent("embedded", name -> IdServer.embedded(), IdServer.class);
    return hasEtcd(context)
        ? Stream.of(Arguments.of(embedded), Arguments.of(onEtcd(servers)))
        : Stream.of(Arguments.of(embedded));
  }

  private static IdServer onEtcd(Store servers) {
    return servers.getOrComputeIfAbsent(
        "etcd", name -> IdServer.onEtcd(ETCD, prefix()), IdServer.class);
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
