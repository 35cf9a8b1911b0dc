package dev.plinth.shards.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.machine.Machine;
import dev.plinth.machine.Threads;
import dev.plinth.ratelimit.v1.GetPolicyRequest;
import dev.plinth.ratelimit.v1.Policy;
import dev.plinth.ratelimit.v1.PolicyChange;
import dev.plinth.ratelimit.v1.PolicyGap;
import dev.plinth.ratelimit.v1.PolicyProgress;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.WatchPoliciesRequest;
import dev.plinth.ratelimit.v1.WatchPoliciesResponse;
import dev.plinth.shards.replica.ReplicaSource;
import dev.plinth.testkit.Await;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A replica's watches as calls, over the loopback, with an owner that the test speaks for. */
class WatchSourceTest {
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(Threads.daemons("replica"));
  private final LoopbackChannel loopback = new LoopbackChannel(thread, Machine.system());
  private final Owner owner = new Owner();
  private final Heard heard = new Heard();
  private final WatchSource<WatchPoliciesRequest, WatchPoliciesResponse, Policy> source =
      new WatchSource<>(
          loopback.channel(),
          RateLimitServiceGrpc.getWatchPoliciesMethod(),
          domain -> WatchPoliciesRequest.newBuilder().setDomain(domain).build(),
          (before, message) -> Optional.of(message.getChange().getPolicy()));

  private static final class Owner extends RateLimitServiceGrpc.RateLimitServiceImplBase {
    final BlockingQueue<WatchPoliciesRequest> requests = new LinkedBlockingQueue<>();
    final BlockingQueue<ServerCallStreamObserver<WatchPoliciesResponse>> watchers =
        new LinkedBlockingQueue<>();

    @Override
    public void watchPolicies(
        WatchPoliciesRequest request, StreamObserver<WatchPoliciesResponse> to) {
      requests.add(request);
      watchers.add((ServerCallStreamObserver<WatchPoliciesResponse>) to);
    }
  }

  /** What the listener was told, as text, and by which thread. */
  private final class Heard implements ReplicaSource.Listener<Policy> {
    final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    private void say(String what) {
      said.add(Thread.currentThread().getName().startsWith("replica") ? what : "elsewhere");
    }

    @Override
    public void onChange(UnaryOperator<Optional<Policy>> change, String resumeToken) {
      say("change " + change.apply(Optional.empty()).orElseThrow().getVersion() + resumeToken);
    }

    @Override
    public void onProgress(String resumeToken) {
      say("progress " + resumeToken);
    }

    @Override
    public void onGap() {
      say("gap");
    }

    @Override
    public void onEnd(String reason) {
      say("end " + reason);
    }
  }

  @BeforeEach
  void serve() {
    loopback.serve(owner);
  }

  @AfterEach
  void close() {
    thread.execute(loopback::close);
    loopback.awaitEnd();
    thread.shutdown();
  }

  private static WatchPoliciesResponse.Builder change(long version) {
    return WatchPoliciesResponse.newBuilder()
        .setChange(PolicyChange.newBuilder().setPolicy(Policy.newBuilder().setVersion(version)));
  }

  private void assertHeard(String... expected) throws InterruptedException {
    for (String one : expected) {
      assertEquals(one, heard.said.take());
    }
  }

  @Test
  void messages_reachTheListener_onTheReplicasThread() throws InterruptedException {
    source.open("a", "t7", heard);
    WatchPoliciesRequest request = owner.requests.take();
    assertEquals(List.of("a", "t7"), List.of(request.getDomain(), request.getResumeToken()));
    var watcher = owner.watchers.take();
    watcher.onNext(change(4).build());
    watcher.onNext(change(5).setResumeToken(" t8").build());
    watcher.onNext(
        WatchPoliciesResponse.newBuilder()
            .setProgress(PolicyProgress.getDefaultInstance())
            .setResumeToken("t9")
            .build());
    watcher.onNext(
        WatchPoliciesResponse.newBuilder().setGap(PolicyGap.getDefaultInstance()).build());
    watcher.onError(Status.UNAVAILABLE.withDescription("moved").asRuntimeException());
    assertHeard("change 4", "change 5 t8", "progress t9", "gap", "end UNAVAILABLE: moved");
    source.open("a", "", heard);
    owner.watchers.take().onCompleted();
    assertHeard("end the watch ended");
  }

  @Test
  void watch_outlivesTheCallThatOpenedIt_andEndsWhenItIsCancelled() throws InterruptedException {
    Context.CancellableContext caller = Context.current().withCancellation();
    Runnable[] cancel = new Runnable[1];
    caller.run(() -> cancel[0] = source.open("a", "", heard));
    caller.cancel(null);
    var watcher = owner.watchers.take();
    watcher.onNext(change(1).setResumeToken(" t1").build());
    assertHeard("change 1 t1");
    cancel[0].run();
    Await.until("the owner is told", watcher::isCancelled);
  }

  @Test
  void methodThatIsNoWatch_isRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new WatchSource<>(
                loopback.channel(),
                RateLimitServiceGrpc.getGetPolicyMethod(),
                domain -> GetPolicyRequest.getDefaultInstance(),
                (before, message) -> before));
  }
}
