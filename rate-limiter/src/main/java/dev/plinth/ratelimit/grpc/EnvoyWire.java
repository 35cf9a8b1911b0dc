package dev.plinth.ratelimit.grpc;

import dev.plinth.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import dev.plinth.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitRequest;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import dev.plinth.ratelimit.pipeline.Check;
import dev.plinth.ratelimit.pipeline.Decision;
import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Requests of a proxy, in our terms. */
final class EnvoyWire {
  /** Windows of these lengths, counted from 1970; months and years have no calendar there. */
  static final Map<Duration, RateLimit.Unit> UNITS =
      Map.of(
          Duration.ofSeconds(1), RateLimit.Unit.SECOND,
          Duration.ofMinutes(1), RateLimit.Unit.MINUTE,
          Duration.ofHours(1), RateLimit.Unit.HOUR,
          Duration.ofDays(1), RateLimit.Unit.DAY,
          Duration.ofDays(7), RateLimit.Unit.WEEK,
          Duration.ofDays(30), RateLimit.Unit.MONTH,
          Duration.ofDays(365), RateLimit.Unit.YEAR);

  private static final int MAX_ENTRIES = 64;

  private EnvoyWire() {}

  /** One descriptor, and the limit that its caller brings along. */
  record EnvoyCheck(Check check, Optional<Limit> override) {
    /** Whether the rules of the policy decide. */
    boolean isOfRules() {
      return override.isEmpty() && !check.descriptors().isEmpty();
    }

    Decision unlimited() {
      return new Decision(Verdict.ALLOW, check.cost(), 0, List.of(), 0, DecidedBy.NO_RULE);
    }
  }

  static List<EnvoyCheck> checks(RateLimitRequest request) {
    // 0 stands for 1, as proxies that know no addend send it.
    long hits = Math.max(1, Integer.toUnsignedLong(request.getHitsAddend()));
    List<EnvoyCheck> checks = new ArrayList<>();
    for (int i = 0; i < request.getDescriptorsCount(); i++) {
      String path = "descriptors[" + i + "].";
      RateLimitDescriptor wire = request.getDescriptors(i);
      long cost =
          wire.hasHitsAddend()
              ? FieldChecks.between(
                  path + "hits_addend", wire.getHitsAddend().getValue(), 0, Charge.MAX_HITS)
              : hits;
      Check check = new Check(descriptors(path, wire), cost, false, Optional.empty());
      checks.add(
          new EnvoyCheck(
              check,
              wire.hasLimit()
                  ? Optional.of(limit(path + "limit.", wire.getLimit()))
                  : Optional.empty()));
    }
    return checks;
  }

  private static List<Descriptor> descriptors(String path, RateLimitDescriptor wire) {
    FieldChecks.between(path + "entries", wire.getEntriesCount(), 0, MAX_ENTRIES);
    List<Descriptor> descriptors = new ArrayList<>();
    for (RateLimitDescriptor.Entry entry : wire.getEntriesList()) {
      descriptors.add(new Descriptor(Descriptor.shortened(entry.getKey()), entry.getValue()));
    }
    return descriptors;
  }

  private static Limit limit(String path, RateLimitOverride wire) {
    Duration period =
        switch (wire.getUnit()) {
          case SECOND -> Duration.ofSeconds(1);
          case MINUTE -> Duration.ofMinutes(1);
          case HOUR -> Duration.ofHours(1);
          case DAY -> Duration.ofDays(1);
          case WEEK -> Duration.ofDays(7);
          case MONTH -> Duration.ofDays(30);
          case YEAR -> Duration.ofDays(365);
          default ->
              throw Failure.Invalid.field(path + "unit", wire.getUnitValue(), "SECOND to WEEK");
        };
    return new Limit.FixedWindow(
        Integer.toUnsignedLong(wire.getRequestsPerUnit()), RateLimitWire.micros(period));
  }
}
