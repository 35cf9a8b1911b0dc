package dev.plinth.simulation.workload;

import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.WatchRequest;
import dev.plinth.lease.v1.WatchResponse;
import dev.plinth.simulation.cluster.Takeovers;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Begins watches of the mixed work anew, at one node, for their snapshots: none may be older than
 * what was answered before the watch was asked for. After each takeover it does so more often.
 */
final class SnapshotClient {
  private record Seen(long asked, List<Told> told) {}

  private static final long HOT_NANOS = 800_000_000L;

  private final WireClient client;
  private final int node;
  private final List<Seen> seen = new ArrayList<>();
  private long hotUntil;

  SnapshotClient(WireClient client, int node, Takeovers takeovers) {
    this.client = client;
    this.node = node;
    takeovers.listen(takeover -> hotUntil = client.now() + HOT_NANOS);
  }

  void start() {
    if (client.log().isOver()) {
      return;
    }
    boolean present = client.beginTurn();
    SplittableRandom random = client.turnRandom();
    boolean hot = client.now() < hotUntil;
    long pause = hot ? random.nextLong(1, 30) : random.nextLong(100, 1500);
    if (!present) {
      client.after(pause, this::start);
      return;
    }
    client.log().count("snapshots");
    long asked = client.now();
    Set<Long> tokens = new TreeSet<>();
    List<Told> told = new ArrayList<>();
    Deadline deadline =
        Deadline.after(
            random.nextLong(hot ? 10 : 50, hot ? 100 : 1000),
            TimeUnit.MILLISECONDS,
            client.machine().ticker());
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
            told.addAll(WatchClient.events(message));
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
            seen.add(new Seen(asked, told));
            client.after(pause, SnapshotClient.this::start);
          }
        });
  }

  /**
   * Each snapshot is the state at one moment of the log, not before anything that was answered
   * before it was asked for; and the events after it are those after that moment.
   */
  void check(List<Operation<LogCall, LogAnswer>> history, List<LogEvent> log) {
    TreeMap<Long, Integer> known = knownAt(history, log);
    for (Seen snapshot : seen) {
      Map.Entry<Long, Integer> before = known.lowerEntry(snapshot.asked);
      WatchChecker.checkBegun(log, snapshot.told, before == null ? 0 : before.getValue());
    }
  }

  /** How many events of the log had surely happened, by the time at which that was known. */
  private static TreeMap<Long, Integer> knownAt(
      List<Operation<LogCall, LogAnswer>> history, List<LogEvent> log) {
    Map<Long, Integer> grants = new HashMap<>();
    Map<Long, Integer> ends = new HashMap<>();
    for (int i = 0; i < log.size(); i++) {
      boolean isGrant = log.get(i).type() == LogEvent.Type.GRANTED;
      (isGrant ? grants : ends).put(log.get(i).token(), i);
    }
    TreeMap<Long, Integer> known = new TreeMap<>();
    for (Operation<LogCall, LogAnswer> call : history) {
      if (call.output().filter(LogAnswer::done).isPresent()) {
        int last = ends.getOrDefault(call.input().token(), -1);
        if (call.input().kind() == LogCall.Kind.RENEW) {
          last = -1; // it may have ended later
        }
        for (long token : call.output().get().tokens()) {
          last = Math.max(last, grants.getOrDefault(token, -1));
        }
        known.merge(call.returned(), last + 1, Math::max);
      }
    }
    int most = 0;
    for (Map.Entry<Long, Integer> each : known.entrySet()) {
      most = Math.max(most, each.getValue());
      each.setValue(most);
    }
    return known;
  }
}
