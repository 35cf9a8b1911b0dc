package dev.plinth.ratelimit.grpc;

import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import dev.plinth.ratelimit.pipeline.Decision;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.v1.DecidedBy;
import dev.plinth.ratelimit.v1.LimitStatus;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Fingerprint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What requests have in common, checked, and the core's terms on the wire. */
final class RateLimitWire {
  static final int MAX_KEY = 64;
  static final int MAX_ID = 64;
  static final int MAX_HOLDER = 128;
  private static final int MAX_VALUE = 256;
  private static final int MAX_DESCRIPTORS = 16;

  private RateLimitWire() {}

  static String value(String field, String value) {
    if (value.length() > MAX_VALUE) {
      throw Failure.Invalid.field(
          field, FieldChecks.quoted(value), "0.." + MAX_VALUE + " characters");
    }
    return value;
  }

  /** 0 stands for 1. */
  static long cost(String field, long cost) {
    return Math.max(1, FieldChecks.between(field, cost, 0, Limit.MAX_COST));
  }

  static List<Descriptor> descriptors(String path, List<dev.plinth.ratelimit.v1.Descriptor> wire) {
    FieldChecks.between(path, wire.size(), 0, MAX_DESCRIPTORS);
    List<Descriptor> descriptors = new ArrayList<>(wire.size());
    for (dev.plinth.ratelimit.v1.Descriptor one : wire) {
      // Paths are for those that are refused; every check comes this way.
      boolean fine =
          FieldChecks.isName(one.getKey(), MAX_KEY)
              && one.getValue().length() <= MAX_VALUE
              && !isAmong(descriptors, one.getKey());
      if (!fine) {
        throw refused(path + "[" + descriptors.size() + "].", one);
      }
      descriptors.add(new Descriptor(one.getKey(), one.getValue()));
    }
    return descriptors;
  }

  private static boolean isAmong(List<Descriptor> descriptors, String key) {
    for (Descriptor descriptor : descriptors) {
      if (descriptor.key().equals(key)) {
        return true;
      }
    }
    return false;
  }

  private static Failure refused(String at, dev.plinth.ratelimit.v1.Descriptor wire) {
    FieldChecks.name(at + "key", wire.getKey(), MAX_KEY);
    value(at + "value", wire.getValue());
    return Failure.Invalid.field(at + "key", FieldChecks.quoted(wire.getKey()), "each key once");
  }

  /** The whole request by its id, so that the same id with another content is noticed. */
  static Optional<IdempotencyKey> once(String field, String requestId, Message request) {
    String id = FieldChecks.optionalName(field, requestId, MAX_ID);
    return id.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new IdempotencyKey(
                id,
                request.getDescriptorForType().getName()
                    + "."
                    + Long.toHexString(Fingerprint.of(request.toByteArray()))));
  }

  static com.google.protobuf.Duration duration(Duration duration) {
    return Durations.fromNanos(duration.toNanos());
  }

  static com.google.protobuf.Duration duration(long micros) {
    return Durations.fromMicros(micros);
  }

  static long micros(Duration duration) {
    return duration.toNanos() / 1000;
  }

  static dev.plinth.ratelimit.v1.Decision decision(Decision decision, boolean headers) {
    dev.plinth.ratelimit.v1.Decision.Builder wire =
        dev.plinth.ratelimit.v1.Decision.newBuilder()
            .setVerdict(verdict(decision.verdict()))
            .setGranted(decision.granted())
            .setPolicyVersion(decision.policyVersion())
            .setDecidedBy(decidedBy(decision.decidedBy()));
    if (decision.verdict() == Decision.Verdict.DENY && decision.retry() != Outcome.NEVER) {
      wire.setRetryAfter(duration(decision.retry()));
    }
    decision.limits().forEach(limit -> wire.addLimits(status(limit)));
    if (headers) {
      wire.putAllHeaders(LimitHeaders.of(decision));
    }
    return wire.build();
  }

  static LimitStatus status(Decision.LimitStatus status) {
    return LimitStatus.newBuilder()
        .setRule(status.rule().name())
        .setLimit(status.limit())
        .setRemaining(status.remaining())
        .setResetAfter(duration(status.reset()))
        .setNear(status.near())
        .setShadow(status.shadow())
        .setOver(status.over())
        .build();
  }

  private static Verdict verdict(Decision.Verdict verdict) {
    return switch (verdict) {
      case ALLOW -> Verdict.VERDICT_ALLOW;
      case DENY -> Verdict.VERDICT_DENY;
      case ALLOW_SHADOW -> Verdict.VERDICT_ALLOW_SHADOW;
    };
  }

  static DecidedBy decidedBy(Decision.DecidedBy by) {
    return switch (by) {
      case STORE -> DecidedBy.DECIDED_BY_STORE;
      case LEASE -> DecidedBy.DECIDED_BY_LEASE;
      case DENY_CACHE -> DecidedBy.DECIDED_BY_DENY_CACHE;
      case LOCAL_FALLBACK -> DecidedBy.DECIDED_BY_LOCAL_FALLBACK;
      case OPEN -> DecidedBy.DECIDED_BY_OPEN;
      case CLOSED -> DecidedBy.DECIDED_BY_CLOSED;
      case NO_RULE -> DecidedBy.DECIDED_BY_NO_RULE;
    };
  }
}
