package dev.plinth.simulation.workload.registry;

import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberEvent;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.registry.v1.WatchMembersRequest;
import dev.plinth.registry.v1.WatchMembersResponse;
import dev.plinth.simulation.workload.CallFailure;
import dev.plinth.simulation.workload.WireClient;
import dev.plinth.simulation.workload.registry.MemberTold.Seen;
import io.grpc.CallOptions;
import io.grpc.Deadline;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Watches all members through one node after the other, resumed wherever it breaks off. What came
 * without a token is told again, so it does not count.
 */
final class MemberWatcher {
  private final WireClient client;
  private final MemberChecks checks;
  private final List<MemberTold> story = new ArrayList<>();
  private final Map<String, Seen> parts = new TreeMap<>(); // of a snapshot in several messages
  private int counted;
  private String token = "";
  private int node;

  MemberWatcher(WireClient client, MemberChecks checks) {
    this.client = client;
    this.checks = checks;
    this.node = client.random().nextInt(client.nodes());
  }

  void start() {
    client.log().count("watches");
    node = (node + 1) % client.nodes();
    long millis = client.random().nextLong(500, 15_000);
    CallOptions options =
        CallOptions.DEFAULT.withDeadline(
            Deadline.after(millis, TimeUnit.MILLISECONDS, client.machine().ticker()));
    ClientCalls.asyncServerStreamingCall(
        client.channel(node).newCall(RegistryServiceGrpc.getWatchMembersMethod(), options),
        WatchMembersRequest.newBuilder()
            .setNamespace(MemberClient.NAMESPACE)
            .setResumeToken(token)
            .build(),
        new Responses());
  }

  private final class Responses implements StreamObserver<WatchMembersResponse> {
    @Override
    public void onNext(WatchMembersResponse message) {
      hear(message);
    }

    @Override
    public void onError(Throwable thrown) {
      CallFailure failure = CallFailure.of(thrown);
      if (failure.isBug()) {
        client.log().violation("a watch of members ended with " + failure);
      }
      again();
    }

    @Override
    public void onCompleted() {
      again();
    }
  }

  private void again() {
    story.subList(counted, story.size()).clear();
    parts.clear();
    client.after(client.random().nextInt(1, 100), this::start);
  }

  private void hear(WatchMembersResponse message) {
    switch (message.getBodyCase()) {
      case SNAPSHOT -> {
        for (Member member : message.getSnapshot().getMembersList()) {
          Seen seen = Seen.of(member);
          parts.put(seen.name(), seen);
          checks.shown(seen, client.now());
        }
        if (!message.getSnapshot().getMore()) {
          story.add(new MemberTold.Snapshot(new TreeMap<>(parts)));
          parts.clear();
        }
      }
      case EVENTS -> message.getEvents().getEventsList().forEach(this::happened);
      case GAP -> {
        client.log().count("watch gaps");
        story.add(new MemberTold.Gap());
      }
      default -> {}
    }
    if (!message.getResumeToken().isEmpty() && !message.hasGap()) {
      token = message.getResumeToken();
      counted = story.size();
    }
  }

  private void happened(MemberEvent event) {
    client.log().count("watched events");
    Seen seen = Seen.of(event.getMember());
    checks.shown(seen, client.now());
    if (event.getType() == MemberEvent.Type.TYPE_DEAD
        || event.getType() == MemberEvent.Type.TYPE_LEFT) {
      checks.ended(seen.incarnation(), client.now());
    }
    story.add(new MemberTold.Happened(event.getType(), seen));
  }

  List<MemberTold> story() {
    return List.copyOf(story.subList(0, counted));
  }
}
