package dev.plinth.simulation.workload;

import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.WatchEvent;
import dev.plinth.lease.v1.WatchRequest;
import dev.plinth.lease.v1.WatchResponse;
import dev.plinth.testkit.lease.LogEvent;
import dev.plinth.testkit.lease.WatchChecker.Told;
import io.grpc.CallOptions;
import io.grpc.Deadline;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Watches the mixed work through one node after the other, resumed wherever it breaks off. What
 * came without a token to go on after is told again, so it does not count.
 */
final class WatchClient {
  private final WireClient client;
  private final List<Told> told = new ArrayList<>();
  private final Set<Long> parts = new TreeSet<>(); // of a snapshot in several messages
  private int counted;
  private String token = "";
  private int node;
  private boolean stopped;

  WatchClient(WireClient client) {
    this.client = client;
    this.node = client.random().nextInt(client.nodes());
  }

  void start() {
    if (stopped) {
      return;
    }
    client.log().count("watches");
    node = (node + 1) % client.nodes();
    long millis = client.random().nextLong(500, 15_000);
    Deadline deadline = Deadline.after(millis, TimeUnit.MILLISECONDS, client.machine().ticker());
    ClientCalls.asyncServerStreamingCall(
        client
            .channel(node)
            .newCall(LeaseServiceGrpc.getWatchMethod(), CallOptions.DEFAULT.withDeadline(deadline)),
        WatchRequest.newBuilder().setNamespace(MixedWire.NAMESPACE).setResumeToken(token).build(),
        new StreamObserver<WatchResponse>() {
          @Override
          public void onNext(WatchResponse message) {
            hear(message);
          }

          @Override
          public void onError(Throwable thrown) {
            CallFailure failure = CallFailure.of(thrown);
            if (failure.isBug()) {
              client.log().violation("a watch ended with " + failure);
            }
            again();
          }

          @Override
          public void onCompleted() {
            again();
          }
        });
  }

  private void again() {
    told.subList(counted, told.size()).clear();
    parts.clear();
    client.after(client.random().nextInt(1, 100), this::start);
  }

  void stop() {
    stopped = true;
  }

  private void hear(WatchResponse message) {
    switch (message.getBodyCase()) {
      case SNAPSHOT -> {
        message.getSnapshot().getLeasesList().stream().map(Lease::getToken).forEach(parts::add);
        if (!message.getSnapshot().getMore()) {
          told.add(new Told.Snapshot(new TreeSet<>(parts)));
          parts.clear();
        }
      }
      case EVENTS -> {
        message.getEvents().getEventsList().forEach(each -> client.log().count("watched events"));
        told.addAll(events(message));
      }
      case GAP -> told.add(new Told.Gap());
      default -> {}
    }
    if (!message.getResumeToken().isEmpty() && !message.hasGap()) {
      token = message.getResumeToken();
      counted = told.size();
    }
  }

  /** The events of a message that stand in the log, too. */
  static List<Told> events(WatchResponse message) {
    return message.getEvents().getEventsList().stream()
        .filter(event -> event.getType() != WatchEvent.Type.TYPE_CHANGED)
        .map(WatchClient::happened)
        .toList();
  }

  private static Told happened(WatchEvent event) {
    String type = event.getType().name().substring("TYPE_".length());
    return new Told.Happened(LogEvent.Type.valueOf(type), event.getLease().getToken());
  }

  /** Whether it has come to this event, or told a state since by a snapshot in which nothing is. */
  boolean hasTold(LogEvent last) {
    List<Told> all = told();
    Told end = all.isEmpty() ? new Told.Gap() : all.get(all.size() - 1);
    return end.equals(new Told.Happened(last.type(), last.token()))
        || end instanceof Told.Snapshot snapshot && snapshot.tokens().isEmpty();
  }

  List<Told> told() {
    return List.copyOf(told.subList(0, counted));
  }
}
