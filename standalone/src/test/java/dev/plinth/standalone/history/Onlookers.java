package dev.plinth.standalone.history;

import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.testkit.History;
import dev.plinth.testkit.lease.LeaseAnswer;
import dev.plinth.testkit.lease.LeaseAnswer.Outcome;
import dev.plinth.testkit.lease.LeaseCall;
import dev.plinth.testkit.lease.LeaseCall.Kind;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Ask every node about every key, again and again, without waiting for answers; and where a node
 * has gone silent, renew what it last showed. A node that was paused finds all this when it wakes,
 * when another has long taken over: what it then says from memory would show.
 */
final class Onlookers {
  private static final int NUMBER = 100;
  private static final long PATIENCE_SECONDS = 15;
  private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** What a node last showed of a key. */
  private record Sight(LeaseAnswer shown, long at) {}

  private final Cluster cluster;
  private final Wire wire;
  private final History<LeaseCall, LeaseAnswer> history;
  private final List<String> keys;
  private final Map<String, Sight> sights = new ConcurrentHashMap<>();

  Onlookers(
      Cluster cluster, Wire wire, History<LeaseCall, LeaseAnswer> history, List<String> keys) {
    this.cluster = cluster;
    this.wire = wire;
    this.history = history;
    this.keys = keys;
  }

  void lookOnce() {
    for (int node = 0; node < cluster.size(); node++) {
      for (String key : keys) {
        look(node, key);
      }
    }
  }

  private void look(int node, String key) {
    String place = node + "/" + key;
    Sight last = sights.get(place);
    LeaseServiceGrpc.LeaseServiceStub stub =
        LeaseServiceGrpc.newStub(cluster.node(node).channel())
            .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
    boolean silent = last != null && System.nanoTime() - last.at > SILENCE_NANOS;
    if (silent && !last.shown.holds().isEmpty()) {
      // Once for each stretch of silence, not to keep alive what its holder forgot.
      sights.put(place, new Sight(last.shown, System.nanoTime()));
      long token = last.shown.holds().get(0).token();
      // Recorded as a look: that the hold was there is all it is to show, and a look is cheap to
      // place, where many renewals at once have too many orders to try.
      LeaseCall look = LeaseCall.of(Kind.VALIDATE, key, token);
      stub.renew(
          wire.renew(LeaseCall.of(Kind.RENEW, key, token)),
          recorded(node, look, answer -> seen(Wire.renewed(answer.getResults(0)))));
    } else {
      LeaseCall read = LeaseCall.of(Kind.READ, key);
      stub.getLease(
          wire.read(read),
          recorded(
              node,
              read,
              response -> {
                LeaseAnswer shown = Wire.shown(response);
                sights.put(place, new Sight(shown, System.nanoTime()));
                return shown;
              }));
    }
  }

  private static LeaseAnswer seen(LeaseAnswer renewed) {
    return renewed.outcome() == Outcome.RENEWED ? LeaseAnswer.of(Outcome.VALID) : renewed;
  }

  private <R> StreamObserver<R> recorded(
      int node, LeaseCall call, Function<R, LeaseAnswer> reading) {
    History<LeaseCall, LeaseAnswer>.Call recorded = history.invoke(NUMBER + node, call);
    return new StreamObserver<>() {
      @Override
      public void onNext(R answer) {
        recorded.ok(reading.apply(answer));
      }

      @Override
      public void onError(Throwable thrown) {
        recorded.failed(); // nothing else becomes possible by a question, nor by a renewal
      }

      @Override
      public void onCompleted() {}
    };
  }
}
