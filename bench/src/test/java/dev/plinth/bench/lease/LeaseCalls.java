package dev.plinth.bench.lease;

import com.google.protobuf.util.Durations;
import dev.plinth.bench.Futures;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceStub;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResponse;
import dev.plinth.lease.v1.RenewResult;
import io.grpc.Channel;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What callers do with leases on one server. Changes carry request ids, as those of the client do.
 * Every grant is checked, and that its token is above its caller's last; so is every release and
 * renewal.
 */
final class LeaseCalls {
  static final String ONE_NAMESPACE = "each";
  private static final int NAMESPACES = 16;

  private final LeaseServiceStub leases;
  private final Map<String, Long> tokens = new ConcurrentHashMap<>();
  private final Map<Integer, CompletableFuture<AcquireResponse>> renewed =
      new ConcurrentHashMap<>();
  private final String run = UUID.randomUUID().toString().substring(0, 24);
  private final AtomicLong requests = new AtomicLong();

  LeaseCalls(Channel channel) {
    leases = LeaseServiceGrpc.newStub(channel);
  }

  /** A grant and a release of the caller's own key. */
  CompletableFuture<?> cycle(int caller) {
    return takeAndGiveBack(ONE_NAMESPACE, "key" + caller, caller, false);
  }

  /** The same over 16 namespaces, so over 16 shards. */
  CompletableFuture<?> spread(int caller) {
    return takeAndGiveBack("ns" + caller % NAMESPACES, "key" + caller, caller, false);
  }

  /** A grant and a release of the one key that all callers want. */
  CompletableFuture<?> handOff(int caller) {
    return takeAndGiveBack("hot", "one", caller, true);
  }

  private String requestId() {
    return run + requests.incrementAndGet();
  }

  private CompletableFuture<?> takeAndGiveBack(
      String namespace, String key, int caller, boolean wait) {
    AcquireRequest.Builder request =
        AcquireRequest.newBuilder()
            .setNamespace(namespace)
            .setKey(key)
            .setOwnerId("c" + caller)
            .setRequestId(requestId());
    if (wait) {
      request.setWait(Durations.fromSeconds(25));
    }
    return Futures.<AcquireResponse>of(answer -> leases.acquire(request.build(), answer))
        .thenCompose(
            granted -> {
              check(granted, namespace + "/" + caller);
              ReleaseRequest release =
                  ReleaseRequest.newBuilder()
                      .setNamespace(namespace)
                      .setKey(key)
                      .setToken(granted.getLease().getToken())
                      .setRequestId(requestId())
                      .build();
              return Futures.<ReleaseResponse>of(answer -> leases.release(release, answer));
            })
        .thenAccept(LeaseCalls::check);
  }

  private void check(AcquireResponse granted, String caller) {
    long token = granted.getLease().getToken();
    if (granted.getOutcome() != Outcome.OUTCOME_GRANTED) {
      throw new IllegalStateException("not granted: " + granted);
    }
    Long before = tokens.put(caller, token);
    if (before != null && before >= token) {
      throw new IllegalStateException("token " + token + " after " + before);
    }
  }

  private static void check(ReleaseResponse released) {
    if (released.getOutcome() != ReleaseResponse.Outcome.OUTCOME_RELEASED) {
      throw new IllegalStateException("not released: " + released);
    }
  }

  /** Of a lease that the caller takes with its first call. */
  CompletableFuture<?> renewal(int caller) {
    return renewed
        .computeIfAbsent(caller, this::takeForLong)
        .thenCompose(
            lease ->
                Futures.<RenewResponse>of(
                    answer ->
                        leases.renew(
                            RenewRequest.newBuilder()
                                .setNamespace("renew")
                                .addItems(
                                    RenewItem.newBuilder()
                                        .setKey("r" + caller)
                                        .setToken(lease.getLease().getToken()))
                                .build(),
                            answer)))
        .thenAccept(LeaseCalls::check);
  }

  private CompletableFuture<AcquireResponse> takeForLong(int caller) {
    AcquireRequest request =
        AcquireRequest.newBuilder()
            .setNamespace("renew")
            .setKey("r" + caller)
            .setOwnerId("c" + caller)
            .setTtl(Durations.fromMinutes(30))
            .setRequestId(requestId())
            .build();
    return Futures.of(answer -> leases.acquire(request, answer));
  }

  private static void check(RenewResponse renewed) {
    if (renewed.getResults(0).getState() != RenewResult.State.STATE_RENEWED) {
      throw new IllegalStateException("not renewed: " + renewed);
    }
  }
}
