package dev.plinth.ratelimit.grpc;

import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import dev.plinth.ratelimit.core.Charge;
import dev.plinth.ratelimit.core.Decision;
import dev.plinth.ratelimit.core.Descriptor;
import dev.plinth.ratelimit.core.Outcome;
import dev.plinth.ratelimit.core.Request.Once;
import dev.plinth.ratelimit.v1.DecidedBy;
import dev.plinth.ratelimit.v1.LimitStatus;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.server.call.Fields;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Fingerprint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What requests have in common, checked, and the core's terms on the wire. */
final class RateLimitWire {
  static final int MOST_KEY = 64;
  static final int MOST_ID = 64;
  static final int MOST_HOLDER = 128;
  private static final int MOST_VALUE = 256;
  private static final int MOST_DESCRIPTORS = 16;
  private static final int SHOWN = 80;

  private RateLimitWire() {}

  static String domain(String value) {
    return Fields.namespace("domain", value);
  }

  static long between(String field, long value, long least, long most) {
    if (value < least || value > most) {
      throw Failure.Invalid.field(field, value, least + ".." + most);
    }
    return value;
  }

  static String quoted(String value) {
    String shown = value.length() > SHOWN ? value.substring(0, SHOWN) + "..." : value;
    return '"' + shown.replaceAll("\\p{Cntrl}", "?") + '"';
  }

  static String value(String field, String value) {
    if (value.length() > MOST_VALUE) {
      throw Failure.Invalid.field(field, quoted(value), "0.." + MOST_VALUE + " characters");
    }
    return value;
  }

  /** 0 stands for 1. */
  static long cost(String field, long cost) {
    return Math.max(1, between(field, cost, 0, Charge.MOST));
  }

  static List<Descriptor> descriptors(String path, List<dev.plinth.ratelimit.v1.Descriptor> wire) {
    Fields.between(path, wire.size(), 0, MOST_DESCRIPTORS);
    List<Descriptor> descriptors = new ArrayList<>(wire.size());
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < wire.size(); i++) {
      String at = path + "[" + i + "].";
      String key = Fields.name(at + "key", wire.get(i).getKey(), MOST_KEY);
      if (!keys.add(key)) {
        throw Failure.Invalid.field(at + "key", quoted(key), "each key once");
      }
      descriptors.add(new Descriptor(key, value(at + "value", wire.get(i).getValue())));
    }
    return descriptors;
  }

  /** The whole request by its id, so that the same id with another content is noticed. */
  static Optional<Once> once(String field, String requestId, Message request) {
    String id = Fields.optionalName(field, requestId, MOST_ID);
    return id.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Once(
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
