package dev.plinth.client.limit;

import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.LimitStatus;
import dev.plinth.ratelimit.v1.Verdict;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.ToLongBiFunction;

/**
 * Limits the calls of a gRPC server. A call over its limit ends with RESOURCE_EXHAUSTED,
 * RATE_EXCEEDED before its handler hears of it, with the delay after which it may pass and the
 * rules that were over. Responses carry the RateLimit lines of decisions that the service made for
 * them; those that a lease paid for have none.
 *
 * <p>No thread waits for a decision. A call that is decided from memory begins on gRPC's own
 * thread; one that the service must decide begins on another, once decided, and never if it was
 * cancelled meanwhile. Where the service does not answer, or refuses to decide, calls go by {@link
 * LimitOptions#onUnavailable}: on, or to an end with UNAVAILABLE.
 */
public final class RateLimitServerInterceptor implements ServerInterceptor {
  private static final Logger log = System.getLogger("plinth.client");

  private final RateLimitClient limits;
  private final String domain;
  private final CallDescriptors descriptors;
  private final ToLongBiFunction<ServerCall<?, ?>, Metadata> cost;
  private final Executor handlers;
  private final ThrottledLogger warnings;

  private RateLimitServerInterceptor(
      RateLimitClient limits,
      String domain,
      CallDescriptors descriptors,
      ToLongBiFunction<ServerCall<?, ?>, Metadata> cost,
      Executor handlers) {
    this.limits = limits;
    this.domain = domain;
    this.descriptors = descriptors;
    this.cost = cost;
    this.handlers = handlers;
    this.warnings = new ThrottledLogger(limits.context().runtime().nanos());
  }

  /** Each call costs 1; handlers begin on threads of the client's own, as many as it takes. */
  public static RateLimitServerInterceptor of(
      RateLimitClient limits, String domain, CallDescriptors descriptors) {
    return new RateLimitServerInterceptor(
        limits, domain, descriptors, (call, headers) -> 1, Runnable::run);
  }

  public RateLimitServerInterceptor cost(ToLongBiFunction<ServerCall<?, ?>, Metadata> function) {
    return new RateLimitServerInterceptor(limits, domain, descriptors, function, handlers);
  }

  /** Where the handlers of calls begin that were not decided at once. */
  public RateLimitServerInterceptor handlersOn(Executor threads) {
    return new RateLimitServerInterceptor(limits, domain, descriptors, cost, threads);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Optional<Map<String, String>> limited = descriptors.of(call, headers);
    if (limited.isEmpty()) {
      return next.startCall(call, headers);
    }
    CompletableFuture<LimiterDecision> asked =
        limits
            .of(domain, limited.get())
            .request(cost.applyAsLong(call, headers), true)
            .exceptionally(this::refused);
    if (asked.isDone()) {
      LimiterDecision limiterDecision = asked.join();
      logShadows(limiterDecision);
      return limiterDecision.allowed()
          ? next.startCall(
              LimitResponseHeaders.adding(LimitResponseHeaders.of(limiterDecision), call), headers)
          : refuse(call, limiterDecision);
    }
    DelayedCallListener<Q> held = new DelayedCallListener<>(call);
    // Not on the client's own thread: from here on it is the application's code that runs.
    asked.thenAcceptAsync(
        limiterDecision -> decided(limiterDecision, call, headers, next, held),
        limits.context().runtime().background());
    return held;
  }

  private <Q, A> void decided(
      LimiterDecision limiterDecision,
      ServerCall<Q, A> call,
      Metadata headers,
      ServerCallHandler<Q, A> next,
      DelayedCallListener<Q> held) {
    if (!limiterDecision.allowed()) {
      refuse(call, limiterDecision);
      return;
    }
    logShadows(limiterDecision);
    held.begin(
        handlers,
        () ->
            next.startCall(
                LimitResponseHeaders.adding(LimitResponseHeaders.of(limiterDecision), call),
                headers),
        () -> {});
  }

  /** A server must not fall because of a policy that is not there. */
  private LimiterDecision refused(Throwable failure) {
    warnings.complain("checks of domain " + domain + " are refused", failure);
    return limits.unavailable();
  }

  private static <Q> ServerCall.Listener<Q> refuse(
      ServerCall<Q, ?> call, LimiterDecision limiterDecision) {
    List<LimitStatus> over =
        limiterDecision.decision().map(Decision::getLimitsList).orElse(List.of());
    CallRejection rejection =
        limiterDecision.source() == DecisionSource.UNAVAILABLE
            ? CallRejection.unavailable()
            : CallRejection.rate(over, limiterDecision.retryAfter());
    rejection.close(call, LimitResponseHeaders.of(limiterDecision));
    return new ServerCall.Listener<>() {};
  }

  private void logShadows(LimiterDecision limiterDecision) {
    if (log.isLoggable(Level.DEBUG)) {
      limiterDecision
          .decision()
          .filter(decision -> decision.getVerdict() == Verdict.VERDICT_ALLOW_SHADOW)
          .ifPresent(
              decision ->
                  log.log(Level.DEBUG, "shadow rules would have denied: " + overs(decision)));
    }
  }

  private static List<String> overs(Decision decision) {
    return decision.getLimitsList().stream()
        .filter(limit -> limit.getShadow() && limit.getOver())
        .map(LimitStatus::getRule)
        .toList();
  }
}
