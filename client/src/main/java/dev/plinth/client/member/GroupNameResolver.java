package dev.plinth.client.member;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.PlinthClient;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.Status;
import io.grpc.StatusOr;
import java.util.List;
import java.util.Map;

/**
 * Tells a channel who serves in a group. A channel that was told once keeps its members while the
 * registry is away.
 */
final class GroupNameResolver extends NameResolver {
  /** All of them in turn, unless the channel's own service config says otherwise. */
  private static final Map<String, Object> SERVICE_CONFIG =
      Map.of("loadBalancingConfig", List.of(Map.of("round_robin", Map.of())));

  private final GroupTarget target;
  private final Args args;
  private final PlinthClient client;
  private final Runnable release;
  private GroupWatch watch;
  // In the synchronisation context of the channel.
  private List<EquivalentAddressGroup> told = List.of();
  private boolean known;

  /**
   * @param release gives the client back
   */
  GroupNameResolver(GroupTarget target, Args args, PlinthClient client, Runnable release) {
    this.target = target;
    this.args = args;
    this.client = client;
    this.release = release;
  }

  /** That of the calls, if the channel has no other; members are not asked for their names. */
  @Override
  public String getServiceAuthority() {
    return target.group();
  }

  @Override
  public void start(Listener2 listener) {
    watch = client.members(target.namespace()).follow(target.group(), target.filters());
    watch.onFailure(failure -> inContext(() -> failed(listener, failure)));
    watch.onChange(
        changed -> {
          // Outside of the context, since it may ask a name server.
          List<EquivalentAddressGroup> addresses =
              MemberAddresses.of(changed.serving(), target.endpoint());
          inContext(() -> tell(listener, addresses));
        });
    watch.open();
  }

  private void inContext(Runnable task) {
    args.getSynchronizationContext().execute(task);
  }

  private void failed(Listener2 listener, CallFailedException failure) {
    if (!known) {
      listener.onResult2(
          result(StatusOr.fromStatus(Status.UNAVAILABLE.withDescription(failure.getMessage()))));
    }
  }

  /** What an application does with its weights and labels, too, comes here: not all is news. */
  private void tell(Listener2 listener, List<EquivalentAddressGroup> addresses) {
    if (known && addresses.equals(told)) {
      return;
    }
    known = true;
    told = addresses;
    listener.onResult2(
        result(
            addresses.isEmpty()
                ? StatusOr.fromStatus(
                    Status.UNAVAILABLE.withDescription(
                        "group " + target.group() + " has nobody who serves"))
                : StatusOr.fromValue(addresses)));
  }

  private ResolutionResult result(StatusOr<List<EquivalentAddressGroup>> addresses) {
    return ResolutionResult.newBuilder()
        .setAddressesOrError(addresses)
        .setServiceConfig(args.getServiceConfigParser().parseServiceConfig(SERVICE_CONFIG))
        .build();
  }

  @Override
  public void shutdown() {
    if (watch != null) {
      watch.close();
    }
    release.run();
  }
}
