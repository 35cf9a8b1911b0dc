package dev.plinth.ratelimit.grpc;

import com.google.protobuf.Message;
import dev.plinth.ratelimit.policy.Policies;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.PolicyChange;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.WatchPoliciesRequest;
import dev.plinth.ratelimit.v1.WatchPoliciesResponse;
import dev.plinth.shards.Event;
import dev.plinth.shards.grpc.WatchSource;
import dev.plinth.shards.grpc.WatchedEvents;
import dev.plinth.shards.replica.ReplicaSource;
import io.grpc.Channel;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** {@code WatchPolicies} of one domain, as its owner sends it and as other nodes read it. */
record PolicyWatch(String domain)
    implements WatchedEvents<Policies, Optional<Policy>, WatchPoliciesResponse> {
  @Override
  public Optional<Policy> snapshot(Policies policies, long nanos) {
    return policies.find(domain);
  }

  @Override
  public Iterator<Message.Builder> snapshot(Optional<Policy> policy) {
    WatchPoliciesResponse.Builder message = WatchPoliciesResponse.newBuilder();
    message.getSnapshotBuilder();
    policy.ifPresent(known -> message.getSnapshotBuilder().setPolicy(PolicyWire.policy(known)));
    return List.<Message.Builder>of(message).iterator();
  }

  @Override
  public List<WatchPoliciesResponse.Builder> events(List<Event> events) {
    return events.stream()
        // Other services have events in the same shard, perhaps under the same name.
        .filter(event -> event.body() instanceof PolicyChange && event.key().equals(domain))
        .map(event -> event.as(dev.plinth.ratelimit.v1.PolicyChange.class, PolicyWatch::change))
        .map(change -> WatchPoliciesResponse.newBuilder().setChange(change))
        .toList();
  }

  private static dev.plinth.ratelimit.v1.PolicyChange change(Object event) {
    dev.plinth.ratelimit.v1.PolicyChange.Builder change =
        dev.plinth.ratelimit.v1.PolicyChange.newBuilder();
    ((PolicyChange) event)
        .policy()
        .ifPresent(policy -> change.setPolicy(PolicyWire.policy(policy)));
    return change.build();
  }

  /**
   * For a replica of policies.
   *
   * @param compile makes of a policy what this node decides with
   */
  static <V> ReplicaSource<V> source(Channel channel, Function<Policy, V> compile) {
    return new WatchSource<>(
        channel,
        RateLimitServiceGrpc.getWatchPoliciesMethod(),
        domain -> WatchPoliciesRequest.newBuilder().setDomain(domain).build(),
        (before, message) -> policy(message).map(PolicyWire::read).map(compile));
  }

  private static Optional<dev.plinth.ratelimit.v1.Policy> policy(WatchPoliciesResponse message) {
    if (message.hasSnapshot()) {
      return message.getSnapshot().hasPolicy()
          ? Optional.of(message.getSnapshot().getPolicy())
          : Optional.empty();
    }
    return message.getChange().hasPolicy()
        ? Optional.of(message.getChange().getPolicy())
        : Optional.empty();
  }
}
