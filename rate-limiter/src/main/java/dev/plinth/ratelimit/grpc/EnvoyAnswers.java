package dev.plinth.ratelimit.grpc;

import dev.plinth.envoy.service.ratelimit.v3.RateLimitRequest;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import dev.plinth.ratelimit.pipeline.Check;
import dev.plinth.ratelimit.pipeline.Decision;
import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.policy.Rule.Match;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Decisions as a proxy reads them.
 *
 * @param metadata whether it is sent
 */
public record EnvoyAnswers(EnvoyHeaders headers, boolean metadata, EnvoyEvents events) {
  private static final long MAX_UINT32 = 0xffff_ffffL;

  RateLimitResponse of(
      RateLimitRequest request, List<EnvoyWire.EnvoyCheck> checks, List<Decision> decisions) {
    RateLimitResponse.Builder response = RateLimitResponse.newBuilder();
    Overall overall = new Overall();
    for (int i = 0; i < decisions.size(); i++) {
      Optional<LimitStatus> limit = tightest(decisions.get(i));
      DescriptorStatus status = status(limit);
      response.addStatuses(status);
      overall.add(status, limit.filter(EnvoyAnswers::isQuota).isPresent());
      if (limit.isPresent()) {
        count(request.getDomain(), limit.get(), checks.get(i).check());
      }
    }
    response.setOverallCode(overall.code());
    response.addAllResponseHeadersToAdd(
        headers.of(response.getStatusesList(), decisions, overall.decisive));
    if (metadata) {
      response.setDynamicMetadata(
          EnvoyMetadata.of(request, response.getStatusesList(), limitsOf(decisions)));
    }
    return response.build();
  }

  /** What the statuses come to together, and which of them says most. */
  private static final class Overall {
    private boolean over;
    private int quotas;
    private int quotasOver;
    private int seen;
    private long least = MAX_UINT32;
    private int decisive = -1;

    void add(DescriptorStatus status, boolean isQuota) {
      boolean isOver = status.getCode() == Code.OVER_LIMIT;
      long remaining = Integer.toUnsignedLong(status.getLimitRemaining());
      if (isOver && !isQuota) {
        over = true;
        least = 0;
        decisive = seen;
      } else if (status.hasCurrentLimit() && remaining < least) {
        least = remaining;
        decisive = seen;
      }
      quotas += isQuota ? 1 : 0;
      quotasOver += isQuota && isOver ? 1 : 0;
      seen++;
    }

    Code code() {
      return over || quotas > 0 && quotas == quotasOver ? Code.OVER_LIMIT : Code.OK;
    }
  }

  private static boolean isQuota(LimitStatus status) {
    return status.rule().envoy().filter(Rule.Envoy::quota).isPresent();
  }

  /** Of the rules that one descriptor has; shadows tell only where nothing is enforced. */
  private static Optional<LimitStatus> tightest(Decision decision) {
    return decision.limits().stream()
        .min(
            Comparator.comparing(LimitStatus::shadow)
                .thenComparing(limit -> !limit.over())
                .thenComparingLong(LimitStatus::remaining));
  }

  private static List<Optional<Rule>> limitsOf(List<Decision> decisions) {
    return decisions.stream().map(decision -> tightest(decision).map(LimitStatus::rule)).toList();
  }

  private static DescriptorStatus status(Optional<LimitStatus> limit) {
    DescriptorStatus.Builder status = DescriptorStatus.newBuilder().setCode(Code.OK);
    if (limit.isEmpty()) {
      return status.build();
    }
    LimitStatus tightest = limit.get();
    status.setLimitRemaining(uint32(tightest.remaining()));
    if (tightest.rule().limit() instanceof Limit.Unlimited) {
      return status.build();
    }
    if (tightest.over() && !tightest.shadow()) {
      status.setCode(Code.OVER_LIMIT).setLimitRemaining(0);
    }
    return status
        .setCurrentLimit(limit(tightest))
        .setDurationUntilReset(RateLimitWire.duration(tightest.reset()))
        .build();
  }

  private static RateLimit limit(LimitStatus status) {
    Rule rule = status.rule();
    long limit = rule.rate().map(Rule.Rate::limit).orElse(status.limit());
    return RateLimit.newBuilder()
        .setName(rule.envoy().map(Rule.Envoy::limitName).orElse(rule.name()))
        .setRequestsPerUnit(uint32(limit))
        .setUnit(unit(rule))
        .build();
  }

  private static RateLimit.Unit unit(Rule rule) {
    if (rule.limit() instanceof Limit.CalendarWindow window) {
      return RateLimit.Unit.valueOf(window.unit().name());
    }
    return rule.rate()
        .map(rate -> EnvoyWire.UNITS.getOrDefault(rate.period(), RateLimit.Unit.UNKNOWN))
        .orElse(RateLimit.Unit.UNKNOWN);
  }

  private static int uint32(long value) {
    return (int) Math.min(value, MAX_UINT32);
  }

  private void count(String domain, LimitStatus status, Check check) {
    EnvoyEvents.Outcome outcome =
        !status.over()
            ? EnvoyEvents.Outcome.OK
            : status.shadow() ? EnvoyEvents.Outcome.SHADOW : EnvoyEvents.Outcome.OVER_LIMIT;
    events.hits(
        domain,
        status.rule().name(),
        values(status.rule().match(), check.descriptors()),
        outcome,
        check.cost());
  }

  private static String values(List<Match> matches, List<Descriptor> entries) {
    List<String> values = null;
    for (int i = 0; i < matches.size(); i++) {
      Match match = matches.get(i);
      if (match.inMetrics()) {
        values = values == null ? new ArrayList<>() : values;
        String value = match.shared() ? match.value() : entries.get(i).value();
        values.add(match.key() + "_" + value);
      }
    }
    return values == null ? "" : Descriptor.shortened(String.join(".", values));
  }
}
