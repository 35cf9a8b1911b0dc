package dev.plinth.ratelimit.grpc;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.policy.Policies;
import dev.plinth.ratelimit.v1.Policy;
import dev.plinth.ratelimit.v1.WatchPoliciesRequest;
import dev.plinth.ratelimit.v1.WatchPoliciesResponse;
import dev.plinth.server.failure.Failure;
import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import io.grpc.stub.StreamObserver;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** One domain's policy, watched. All but {@link #known} and {@link #await} is on one thread. */
final class WatchedPolicy {
  private static final Logger log = System.getLogger("plinth.ratelimit");
  private static final long FIRST_PAUSE_MILLIS = 50;
  private static final long LONGEST_PAUSE_MILLIS = 1000;

  private record Waiter(long minVersion, CompletableFuture<CompiledPolicy> future) {}

  private final String domain;
  private final PolicyCache cache;
  private final List<Waiter> waiters = new ArrayList<>();
  private Stream stream;
  private String resumeToken = "";
  private long pauseMillis = FIRST_PAUSE_MILLIS;
  private String lastTrouble = "the owner of its shard has not answered";
  private boolean closed;
  // Null until the owner has told; then empty while there is none.
  private volatile Optional<CompiledPolicy> known;
  private volatile int touched;
  private volatile long brokenSince;
  private volatile boolean broken;

  WatchedPolicy(String domain, PolicyCache cache) {
    this.domain = domain;
    this.cache = cache;
    this.touched = cache.tick();
    cache.thread().execute(this::watch);
  }

  String domain() {
    return domain;
  }

  /** Null while nothing is known. */
  Optional<CompiledPolicy> known() {
    return known;
  }

  void touch(int tick) {
    if (touched != tick) { // most often it is, and then nothing is written
      touched = tick;
    }
  }

  int touched() {
    return touched;
  }

  long brokenFor(long nanos) {
    return broken ? nanos - brokenSince : 0;
  }

  CompletableFuture<CompiledPolicy> await(long minVersion) {
    CompletableFuture<CompiledPolicy> future = new CompletableFuture<>();
    cache.thread().execute(() -> join(new Waiter(minVersion, future)));
    return future;
  }

  private void join(Waiter waiter) {
    if (!serve(waiter)) {
      if (closed) {
        waiter.future.completeExceptionally(behind(waiter.minVersion));
        return;
      }
      waiters.add(waiter);
      cache
          .thread()
          .schedule(
              () -> giveUp(waiter), cache.bounds().patience().toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private boolean serve(Waiter waiter) {
    if (known == null) {
      return false;
    }
    if (known.isPresent() && known.get().version() >= waiter.minVersion) {
      waiter.future.complete(known.get());
      return true;
    }
    if (known.isEmpty() && waiter.minVersion == 0) {
      waiter.future.completeExceptionally(Policies.unknown(domain));
      return true;
    }
    return false;
  }

  private void giveUp(Waiter waiter) {
    if (waiters.remove(waiter)) {
      waiter.future.completeExceptionally(
          known != null && known.isEmpty() ? Policies.unknown(domain) : behind(waiter.minVersion));
    }
  }

  private Failure behind(long minVersion) {
    String seen = known == null ? "none" : known.map(p -> "" + p.version()).orElse("none");
    return new Failure.Unavailable(
        ErrorReason.ERROR_REASON_POLICY_BEHIND,
        "this node knows version %s of the policy of %s (needed: %d): %s"
            .formatted(
                seen, domain, minVersion, broken || known == null ? lastTrouble : "watching"),
        Duration.ofMillis(FIRST_PAUSE_MILLIS),
        Map.of("domain", domain, "known", seen, "needed", String.valueOf(minVersion)));
  }

  private void watch() {
    if (closed) {
      return;
    }
    stream = new Stream();
    WatchPoliciesRequest request =
        WatchPoliciesRequest.newBuilder().setDomain(domain).setResumeToken(resumeToken).build();
    // Not the context of whoever asked first: the watch outlives that call.
    stream.context.run(() -> cache.owner().watchPolicies(request, stream));
  }

  private void tell(Optional<Policy> policy) {
    known = policy.map(PolicyWire::read).map(cache::compile);
    waiters.removeIf(this::serve);
  }

  private void isTrouble(String why) {
    if (closed) {
      return;
    }
    lastTrouble = why;
    if (!broken) {
      broken = true;
      brokenSince = System.nanoTime();
    }
    stream = null;
    long pause = pauseMillis / 2 + ThreadLocalRandom.current().nextLong(pauseMillis / 2 + 1);
    pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, pauseMillis * 2);
    cache.thread().schedule(this::watch, pause, TimeUnit.MILLISECONDS);
  }

  /** An owner that hangs says nothing, not even that nothing happened. */
  void noticeSilence() {
    Stream heard = stream;
    if (heard != null && System.nanoTime() - heard.lastHeard > cache.bounds().silence().toNanos()) {
      heard.cancel();
      isTrouble("the owner of its shard is silent");
    }
  }

  void close() {
    closed = true;
    if (stream != null) {
      stream.cancel();
    }
    waiters.forEach(waiter -> waiter.future.completeExceptionally(behind(waiter.minVersion)));
    waiters.clear();
  }

  /** One watch; what a former one still says is not heard. */
  private final class Stream implements StreamObserver<WatchPoliciesResponse> {
    final CancellableContext context = Context.ROOT.withCancellation();
    long lastHeard = System.nanoTime();

    void cancel() {
      context.cancel(null);
    }

    @Override
    public void onNext(WatchPoliciesResponse message) {
      if (stream != this) {
        return;
      }
      lastHeard = System.nanoTime();
      try {
        switch (message.getBodyCase()) {
          case SNAPSHOT ->
              tell(
                  message.getSnapshot().hasPolicy()
                      ? Optional.of(message.getSnapshot().getPolicy())
                      : Optional.empty());
          case CHANGE ->
              tell(
                  message.getChange().hasPolicy()
                      ? Optional.of(message.getChange().getPolicy())
                      : Optional.empty());
          default -> {
            // Progress and gaps change nothing here.
          }
        }
      } catch (Failure e) {
        // Of a later release, perhaps: go on with what is known, and look again.
        log.log(Level.ERROR, "the policy of " + domain + " cannot be read", e);
        cancel();
        isTrouble(e.getMessage());
        return;
      }
      resumeToken = message.getResumeToken();
      broken = false;
      pauseMillis = FIRST_PAUSE_MILLIS;
    }

    @Override
    public void onError(Throwable thrown) {
      if (stream == this) {
        isTrouble(thrown.getMessage());
      }
    }

    @Override
    public void onCompleted() {
      if (stream == this) {
        isTrouble("the watch ended");
      }
    }
  }
}
