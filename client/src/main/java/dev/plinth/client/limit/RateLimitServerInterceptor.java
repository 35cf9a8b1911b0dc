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
 * cancelled meanwhile. Where the service does not answer, or has no policy, calls go by {@link
 * LimitOptions#onUnavailable}: on, or to an end with UNAVAILABLE. A call whose descriptors or cost
 * the service refuses ends with INVALID_ARGUMENT, FIELD_INVALID.
 */
public final class RateLimitServerInterceptor implements ServerInterceptor {
  private static final Logger log = System.getLogger("plinth.client");

  private final RateLimitClient limits;
  private final String domain;
  private final CallDescriptors descriptors;
  private final ToLongBiFunction<ServerCall<?, ?>, Metadata> cost;
  private final Executor handlers;

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
      LimiterDecision made = asked.getNow(null);
      logShadows(made);
      return made.allowed() ? start(made, call, headers, next) : refuse(call, made);
    }
    DelayedCallListener<Q> held = new DelayedCallListener<>(call);
    // Not on the event loop: from here on it is the application's code that runs.
    asked.thenAcceptAsync(
        made -> decided(made, call, headers, next, held), limits.context().runtime().background());
    return held;
  }

  private <Q, A> void decided(
      LimiterDecision made,
      ServerCall<Q, A> call,
      Metadata headers,
      ServerCallHandler<Q, A> next,
      DelayedCallListener<Q> held) {
    if (!made.allowed()) {
      refuse(call, made);
      return;
    }
    logShadows(made);
    held.begin(handlers, () -> start(made, call, headers, next), () -> {});
  }

  private static <Q, A> ServerCall.Listener<Q> start(
      LimiterDecision made, ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Metadata lines = LimitResponseHeaders.of(made);
    return next.startCall(LimitResponseHeaders.adding(lines, call), headers);
  }

  /** A server must not fall because of a policy that is not there. */
  private LimiterDecision refused(Throwable failure) {
    limits.context().warnings().warn("checks of domain " + domain + " are refused", failure);
    return RateLimitCaller.isBadContent(failure) ? limits.badContent() : limits.unavailable();
  }

  private static <Q> ServerCall.Listener<Q> refuse(ServerCall<Q, ?> call, LimiterDecision made) {
    rejection(made).close(call, LimitResponseHeaders.of(made));
    return new ServerCall.Listener<>() {};
  }

  private static CallRejection rejection(LimiterDecision made) {
    if (made.source() == DecisionSource.UNAVAILABLE) {
      return CallRejection.unavailable();
    } else if (made.decision().isEmpty()) {
      return CallRejection.badDescriptors();
    }
    return CallRejection.rate(made.decision().get().getLimitsList(), made.retryAfter());
  }

  private void logShadows(LimiterDecision made) {
    if (log.isLoggable(Level.DEBUG)) {
      made.decision()
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
