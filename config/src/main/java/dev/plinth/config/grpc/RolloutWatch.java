package dev.plinth.config.grpc;

import dev.plinth.config.core.Configs;
import dev.plinth.config.core.RolloutView;
import dev.plinth.config.v1.Rollout;
import dev.plinth.config.v1.RolloutEvents;
import dev.plinth.config.v1.RolloutSnapshot;
import dev.plinth.config.v1.WatchRolloutRequest;
import dev.plinth.config.v1.WatchRolloutResponse;
import dev.plinth.shards.Event;
import dev.plinth.shards.grpc.MessageParts;
import dev.plinth.shards.grpc.WatchedEvents;
import java.util.Iterator;
import java.util.List;

/** What one watch call sees: the rollouts of one group, or of all. */
final class RolloutWatch
    implements WatchedEvents<Configs, List<RolloutView>, WatchRolloutResponse> {
  // By estimate, of one rollout without its history.
  private static final int ROLLOUT_BYTES = 1024;

  private final String namespace;
  private final String group;

  RolloutWatch(String namespace, WatchRolloutRequest request) {
    this.namespace = namespace;
    this.group = request.getGroup().isEmpty() ? "" : ConfigWire.config("group", request.getGroup());
  }

  @Override
  public List<RolloutView> snapshot(Configs configs, long nanos) {
    return configs.rollouts().snapshot(namespace, group, nanos);
  }

  @Override
  public long bytes(List<RolloutView> rollouts) {
    return (long) rollouts.size() * ROLLOUT_BYTES;
  }

  @Override
  public Iterator<WatchRolloutResponse.Builder> snapshot(List<RolloutView> rollouts) {
    return new MessageParts<>(
        rollouts,
        RolloutWire::rollout,
        (part, more) ->
            WatchRolloutResponse.newBuilder()
                .setSnapshot(RolloutSnapshot.newBuilder().addAllRollouts(part).setMore(more)));
  }

  @Override
  public List<WatchRolloutResponse.Builder> events(List<Event> events) {
    return MessageParts.listOf(
        events.stream().filter(this::isWatched).toList(),
        event -> event.as(Rollout.class, body -> RolloutWire.rollout((RolloutView) body)),
        (part, more) ->
            WatchRolloutResponse.newBuilder()
                .setEvents(RolloutEvents.newBuilder().addAllRollouts(part)));
  }

  private boolean isWatched(Event event) {
    return event.body() instanceof RolloutView rollout
        && rollout.group().namespace().equals(namespace)
        && (group.isEmpty() || rollout.group().group().equals(group));
  }
}
