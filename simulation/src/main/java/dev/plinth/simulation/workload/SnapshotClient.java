package dev.plinth.simulation.workload;

import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.WatchRequest;
import dev.plinth.lease.v1.WatchResponse;
import dev.plinth.testkit.History.Operation;
import dev.plinth.testkit.lease.LogAnswer;
import dev.plinth.testkit.lease.LogCall;
import dev.plinth.testkit.lease.LogEvent;
import dev.plinth.testkit.lease.WatchChecker;
import dev.plinth.testkit.lease.WatchChecker.Told;
import io.grpc.CallOptions;
import io.grpc.Deadline;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Begins watches of the mixed work anew, at one node after the other, for their snapshots: none may
 * be older than what was answered before the watch was asked for.
 */
final class SnapshotClient {
  private record Seen(long asked, Set<Long> tokens, List<Told> told) {}

  private static final Set<LogCall.Kind> ENDS =
      EnumSet.of(LogCall.Kind.RELEASE, LogCall.Kind.TRANSFER, LogCall.Kind.FORCE_RELEASE);

  private final WireClient client;
  private final List<Seen> seen = new ArrayList<>();
  private int node;

  SnapshotClient(WireClient client) {
    this.client = client;
  }

  void start() {
    if (client.log().isOver()) {
      return;
    }
    if (!client.beginTurn()) {
      client.after(client.random().nextInt(1, 300), this::start);
      return;
    }
    client.log().count("snapshots");
    node = (node + 1) % client.nodes();
    long asked = client.now();
    Set<Long> tokens = new TreeSet<>();
    List<Told> told = new ArrayList<>();
    Deadline deadline =
        Deadline.after(
            client.random().nextLong(50, 1000), TimeUnit.MILLISECONDS, client.machine().ticker());
    ClientCalls.asyncServerStreamingCall(
        client
            .channel(node)
            .newCall(LeaseServiceGrpc.getWatchMethod(), CallOptions.DEFAULT.withDeadline(deadline)),
        WatchRequest.newBuilder().setNamespace(MixedWire.NAMESPACE).build(),
        new StreamObserver<WatchResponse>() {
          @Override
          public void onNext(WatchResponse message) {
            if (message.hasSnapshot()) {
              message.getSnapshot().getLeasesList().stream()
                  .map(Lease::getToken)
                  .forEach(tokens::add);
              if (!message.getSnapshot().getMore()) {
                told.add(new Told.Snapshot(new TreeSet<>(tokens)));
              }
            }
            WatchClient.events(message).forEach(told::add);
          }

          @Override
          public void onError(Throwable thrown) {
            again();
          }

          @Override
          public void onCompleted() {
            again();
          }

          private void again() {
            seen.add(new Seen(asked, tokens, told));
            client.after(client.random().nextInt(1, 300), SnapshotClient.this::start);
          }
        });
  }

  /**
   * No snapshot shows a hold whose end was answered before, each is the state at one moment of the
   * log, and the events after it are those after that moment.
   */
  void check(List<Operation<LogCall, LogAnswer>> history, List<LogEvent> log) {
    seen.forEach(snapshot -> WatchChecker.checkBegun(log, snapshot.told));
    for (Operation<LogCall, LogAnswer> end : history) {
      if (ENDS.contains(end.input().kind()) && end.output().filter(LogAnswer::done).isPresent()) {
        for (Seen snapshot : seen) {
          if (snapshot.asked > end.returned() && snapshot.tokens.contains(end.input().token())) {
            throw new AssertionError("a snapshot asked for at " + snapshot.asked + " shows " + end);
          }
        }
      }
    }
  }
}
