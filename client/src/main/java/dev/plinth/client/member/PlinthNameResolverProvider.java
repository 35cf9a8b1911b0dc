package dev.plinth.client.member;

import dev.plinth.client.PlinthClient;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.Collection;
import java.util.Set;
import java.util.function.Function;

/**
 * Lets any gRPC channel spread its calls over the members of a group: {@code
 * plinth:///GROUP?server=HOST:PORT}. The authority is the namespace, "default" if there is none.
 * Further parameters are {@code endpoint}, the name of the members' endpoint ("grpc"), and {@code
 * label.KEY=VALUE}, which members must have.
 *
 * <p>gRPC finds this provider by itself. Without {@code server} it goes by the system property
 * {@code plinth.server}, then by the environment variable {@code PLINTH_SERVER}, else it is
 * localhost:7450. For a registry that needs credentials, register a provider with a client of your
 * own: {@code NameResolverRegistry.getDefaultRegistry().register(...)}.
 */
public final class PlinthNameResolverProvider extends NameResolverProvider {
  private static final int PRIORITY = 5;
  private static final int PRIORITY_OF_A_GIVEN_CLIENT = 6;

  private final Function<String, SharedClients.Use> clients;
  private final int priority;

  /** For gRPC; channels with the same registry share a client. */
  public PlinthNameResolverProvider() {
    clients = new SharedClients()::use;
    priority = PRIORITY;
  }

  /** Of this client, whatever server a target names. The client stays its caller's to close. */
  public PlinthNameResolverProvider(PlinthClient client) {
    clients = server -> new SharedClients.Use(client, () -> {});
    priority = PRIORITY_OF_A_GIVEN_CLIENT;
  }

  @Override
  public NameResolver newNameResolver(URI uri, NameResolver.Args args) {
    GroupTarget target = GroupTarget.of(uri);
    SharedClients.Use use = clients.apply(target.server().orElseGet(SharedClients::usualServer));
    return new GroupNameResolver(target, args, use.client(), use.release());
  }

  @Override
  public String getDefaultScheme() {
    return GroupTarget.SCHEME;
  }

  @Override
  protected boolean isAvailable() {
    return true;
  }

  @Override
  protected int priority() {
    return priority;
  }

  @Override
  public Collection<Class<? extends SocketAddress>> getProducedSocketAddressTypes() {
    return Set.of(InetSocketAddress.class);
  }
}
