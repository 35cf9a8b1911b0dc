package dev.plinth.ratelimit.grpc;

import dev.plinth.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import dev.plinth.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitRequest;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import dev.plinth.ratelimit.core.Charge;
import dev.plinth.ratelimit.core.Check;
import dev.plinth.ratelimit.core.Decision;
import dev.plinth.ratelimit.core.Decision.DecidedBy;
import dev.plinth.ratelimit.core.Decision.LimitStatus;
import dev.plinth.ratelimit.core.Decision.Verdict;
import dev.plinth.ratelimit.core.Descriptor;
import dev.plinth.ratelimit.core.Limit;
import dev.plinth.ratelimit.core.Outcome;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Fingerprint;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Envoy's terms and ours. */
final class EnvoyWire {
  private static final long MOST_UINT32 = 0xffff_ffffL;
  private static final int MOST_ENTRIES = 16;
  private static final int MOST_VALUE = 256;
  private static final int KEPT_OF_LONG = 239;
  private static final Map<Duration, RateLimit.Unit> UNITS =
      Map.of(
          Duration.ofSeconds(1), RateLimit.Unit.SECOND,
          Duration.ofMinutes(1), RateLimit.Unit.MINUTE,
          Duration.ofHours(1), RateLimit.Unit.HOUR,
          Duration.ofDays(1), RateLimit.Unit.DAY,
          Duration.ofDays(7), RateLimit.Unit.WEEK);

  private EnvoyWire() {}

  /** One descriptor, and the limit that its caller brings along. */
  record Asked(Check check, Optional<Limit> override) {}

  static List<Asked> asked(RateLimitRequest request) {
    List<Asked> asked = new ArrayList<>();
    for (int i = 0; i < request.getDescriptorsCount(); i++) {
      String path = "descriptors[" + i + "].";
      RateLimitDescriptor wire = request.getDescriptors(i);
      long hits = Integer.toUnsignedLong(request.getHitsAddend());
      long cost =
          wire.hasHitsAddend()
              ? RateLimitWire.between(
                  path + "hits_addend", wire.getHitsAddend().getValue(), 0, Charge.MOST)
              : RateLimitWire.cost("hits_addend", hits);
      Check check = new Check(descriptors(path, wire), cost, false, Optional.empty());
      asked.add(
          new Asked(
              check,
              wire.hasLimit()
                  ? Optional.of(limit(path + "limit.", wire.getLimit()))
                  : Optional.empty()));
    }
    return asked;
  }

  private static List<Descriptor> descriptors(String path, RateLimitDescriptor wire) {
    RateLimitWire.between(path + "entries", wire.getEntriesCount(), 1, MOST_ENTRIES);
    List<Descriptor> descriptors = new ArrayList<>();
    for (RateLimitDescriptor.Entry entry : wire.getEntriesList()) {
      descriptors.add(new Descriptor(entry.getKey(), shortened(entry.getValue())));
    }
    return descriptors;
  }

  /**
   * A value may be as long as a caller's path or header: refused, it would pass unlimited where the
   * proxy fails open.
   */
  private static String shortened(String value) {
    return value.length() <= MOST_VALUE
        ? value
        : value.substring(0, KEPT_OF_LONG)
            + "~%016x".formatted(Fingerprint.of(value.getBytes(StandardCharsets.UTF_8)));
  }

  private static Limit limit(String path, RateLimitOverride wire) {
    long limit =
        RateLimitWire.between(
            path + "requests_per_unit",
            Integer.toUnsignedLong(wire.getRequestsPerUnit()),
            1,
            LimitWire.MOST);
    return switch (wire.getUnit()) {
      case SECOND -> window(limit, Duration.ofSeconds(1));
      case MINUTE -> window(limit, Duration.ofMinutes(1));
      case HOUR -> window(limit, Duration.ofHours(1));
      case DAY -> window(limit, Duration.ofDays(1));
      case MONTH -> new Limit.CalendarWindow(limit, Limit.Calendar.MONTH, ZoneId.of("UTC"));
      case YEAR -> new Limit.CalendarWindow(limit, Limit.Calendar.YEAR, ZoneId.of("UTC"));
      default -> throw Failure.Invalid.field(path + "unit", wire.getUnitValue(), "SECOND to YEAR");
    };
  }

  private static Limit window(long limit, Duration period) {
    return new Limit.FixedWindow(limit, RateLimitWire.micros(period));
  }

  static List<Decision> unlimited(List<Asked> asked) {
    return asked.stream()
        .map(
            one ->
                new Decision(Verdict.ALLOW, one.check().cost(), 0, List.of(), 0, DecidedBy.NO_RULE))
        .toList();
  }

  static RateLimitResponse response(List<Asked> asked, List<Decision> decisions) {
    RateLimitResponse.Builder response = RateLimitResponse.newBuilder().setOverallCode(Code.OK);
    for (int i = 0; i < decisions.size(); i++) {
      Code code = code(asked.get(i), decisions.get(i));
      if (code == Code.OVER_LIMIT) {
        response.setOverallCode(code);
      }
      response.addStatuses(status(code, decisions.get(i)));
    }
    decisions.stream()
        .max(Comparator.comparingLong(EnvoyWire::urgency))
        .map(LimitHeaders::of)
        .ifPresent(
            headers ->
                headers.forEach(
                    (key, value) ->
                        response.addResponseHeadersToAddBuilder().setKey(key).setValue(value)));
    return response.build();
  }

  /** A look that costs nothing is told what the next hit would be. */
  private static Code code(Asked asked, Decision decision) {
    boolean over =
        decision.verdict() == Verdict.DENY
            || asked.check().cost() == 0
                && tightest(decision).filter(limit -> limit.remaining() == 0).isPresent();
    return over ? Code.OVER_LIMIT : Code.OK;
  }

  /** The headers are those of the denial that lasts longest, or of what has the least left. */
  private static long urgency(Decision decision) {
    if (decision.verdict() == Verdict.DENY) {
      return decision.retry() == Outcome.NEVER ? Long.MAX_VALUE : decision.retry();
    }
    return tightest(decision).map(limit -> -1 - limit.remaining()).orElse(Long.MIN_VALUE);
  }

  private static Optional<LimitStatus> tightest(Decision decision) {
    return decision.limits().stream()
        .filter(limit -> !limit.shadow())
        .min(
            Comparator.comparing((LimitStatus limit) -> !limit.over())
                .thenComparingLong(LimitStatus::remaining));
  }

  private static DescriptorStatus status(Code code, Decision decision) {
    DescriptorStatus.Builder status = DescriptorStatus.newBuilder().setCode(code);
    tightest(decision)
        .ifPresent(
            limit ->
                status
                    .setCurrentLimit(limit(limit))
                    .setLimitRemaining(uint32(limit.remaining()))
                    .setDurationUntilReset(RateLimitWire.duration(limit.reset())));
    return status.build();
  }

  private static RateLimit limit(LimitStatus status) {
    long limit = status.rule().rate().map(rate -> rate.limit()).orElse(status.limit());
    return RateLimit.newBuilder()
        .setName(status.rule().name())
        .setRequestsPerUnit(uint32(limit))
        .setUnit(unit(status))
        .build();
  }

  private static RateLimit.Unit unit(LimitStatus status) {
    if (status.rule().limit() instanceof Limit.CalendarWindow window) {
      return RateLimit.Unit.valueOf(window.unit().name());
    }
    return status
        .rule()
        .rate()
        .map(rate -> UNITS.getOrDefault(rate.period(), RateLimit.Unit.UNKNOWN))
        .orElse(RateLimit.Unit.UNKNOWN);
  }

  private static int uint32(long value) {
    return (int) Math.min(value, MOST_UINT32);
  }
}
