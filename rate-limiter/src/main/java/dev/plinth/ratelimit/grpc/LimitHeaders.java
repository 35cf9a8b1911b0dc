package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.pipeline.Decision;
import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.store.Outcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * A decision as header lines of an HTTP response: {@code RateLimit-Policy} says what the rules
 * admit, {@code RateLimit} what is left and for how many seconds, {@code Retry-After} after a
 * denial when to come back. Shadow rules are nobody's business and left out.
 *
 * <pre>
 * RateLimit-Policy: "per-user";q=100;w=60, "per-tenant";q=5000;w=3600
 * RateLimit: "per-user";r=12;t=31, "per-tenant";r=4711;t=208
 * Retry-After: 3
 * </pre>
 *
 * Seconds are whole and rounded up, so that who waits for them does not come too early.
 */
public final class LimitHeaders {
  public static final String POLICY = "RateLimit-Policy";
  public static final String LIMIT = "RateLimit";
  public static final String RETRY_AFTER = "Retry-After";
  private static final long SECOND = 1_000_000;

  private LimitHeaders() {}

  /** Empty where no rule is enforced. */
  public static Map<String, String> of(Decision decision) {
    Map<String, String> headers = new LinkedHashMap<>();
    List<LimitStatus> enforced =
        decision.limits().stream().filter(status -> !status.shadow()).toList();
    if (!enforced.isEmpty()) {
      headers.put(
          POLICY, enforced.stream().map(LimitHeaders::policy).collect(Collectors.joining(", ")));
      headers.put(
          LIMIT, enforced.stream().map(LimitHeaders::left).collect(Collectors.joining(", ")));
    }
    boolean denied = decision.verdict() == Decision.Verdict.DENY;
    if (denied && decision.retry() != Outcome.NEVER) {
      headers.put(RETRY_AFTER, String.valueOf(Math.max(1, seconds(decision.retry()))));
    }
    return headers;
  }

  private static String policy(LimitStatus status) {
    OptionalLong window = status.rule().limit().refillTime();
    boolean whole = window.isPresent() && window.getAsLong() % SECOND == 0;
    return '"'
        + status.rule().name()
        + "\";q="
        + status.limit()
        + (whole ? ";w=" + window.getAsLong() / SECOND : "");
  }

  private static String left(LimitStatus status) {
    return '"'
        + status.rule().name()
        + "\";r="
        + status.remaining()
        + ";t="
        + seconds(status.reset());
  }

  private static long seconds(long micros) {
    return up(micros, SECOND);
  }

  private static long up(long number, long by) {
    return (number + by - 1) / by;
  }
}
