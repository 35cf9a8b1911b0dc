package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.UInt64Value;
import dev.plinth.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitRequest;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import dev.plinth.envoy.type.v3.RateLimitUnit;
import dev.plinth.ratelimit.envoy.EnvoyConfig;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc.RateLimitServiceBlockingStub;
import io.grpc.Channel;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * A domain that was imported from the reference's YAML, and requests to it as lines:
 *
 * <pre>
 * 2x foo=a,bar=b +3 &amp; baz=c ^5/day -> over: ok/4 over/0
 * </pre>
 *
 * Twice, two descriptors: one with 3 hits, one that brings a limit of 5 a day; over the limit as a
 * whole, the statuses with what is left. A status is {@code none} without a limit, {@code
 * unlimited}, {@code ok/n} or {@code over/n}. Windows are of a year, so that none ends meanwhile.
 */
final class EnvoyReference {
  final String domain;
  private final Channel channel;

  private EnvoyReference(String domain, Channel channel) {
    this.domain = domain;
    this.channel = channel;
  }

  /** YAML without its domain. */
  static EnvoyReference of(String descriptors, Channel channel) {
    return of("Mongo_cps.a:b/" + UUID.randomUUID(), descriptors, channel);
  }

  static EnvoyReference of(String domain, String descriptors, Channel channel) {
    EnvoyConfig config = new EnvoyConfig(false);
    config.add("test.yaml", "domain: " + domain + "\ndescriptors:\n" + descriptors.indent(2));
    RateLimitServiceBlockingStub limits =
        dev.plinth.ratelimit.v1.RateLimitServiceGrpc.newBlockingStub(channel);
    for (PutPolicyRequest policy : config.policies()) {
      limits.putPolicy(policy);
    }
    return new EnvoyReference(domain, channel);
  }

  void run(String... lines) {
    for (String line : lines) {
      String[] sides = line.trim().split("->");
      String asked = sides[0].trim();
      int times = 1;
      if (asked.matches("\\d+x .*")) {
        times = Integer.parseInt(asked.substring(0, asked.indexOf('x')));
        asked = asked.substring(asked.indexOf(' ') + 1);
      }
      RateLimitResponse last = RateLimitResponse.getDefaultInstance();
      for (int i = 0; i < times; i++) {
        last = ask(asked);
      }
      assertEquals(sides[1].trim(), told(last), line);
    }
  }

  RateLimitResponse ask(String line) {
    return ask(request(line));
  }

  RateLimitResponse ask(RateLimitRequest.Builder request) {
    return RateLimitServiceGrpc.newBlockingStub(channel)
        .shouldRateLimit(request.setDomain(domain).build());
  }

  static RateLimitRequest.Builder request(String line) {
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder();
    for (String descriptor : line.split(" & ")) {
      request.addDescriptors(descriptor(descriptor.trim().split(" ")));
    }
    return request;
  }

  private static RateLimitDescriptor.Builder descriptor(String[] words) {
    RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
    for (String word : words) {
      if (word.startsWith("+")) {
        long hits = Long.parseLong(word.substring(1));
        descriptor.setHitsAddend(UInt64Value.of(hits));
      } else if (word.startsWith("^")) {
        String[] limit = word.substring(1).split("/");
        descriptor
            .getLimitBuilder()
            .setRequestsPerUnit(Integer.parseUnsignedInt(limit[0]))
            .setUnit(RateLimitUnit.valueOf(limit[1].toUpperCase(Locale.ROOT)));
      } else if (!word.equals("()")) {
        for (String entry : word.split(",")) {
          String[] parts = entry.split("=", 2);
          descriptor.addEntriesBuilder().setKey(parts[0]).setValue(parts[1]);
        }
      }
    }
    return descriptor;
  }

  private static String told(RateLimitResponse response) {
    List<String> statuses = response.getStatusesList().stream().map(EnvoyReference::told).toList();
    return code(response.getOverallCode()) + ": " + String.join(" ", statuses);
  }

  private static String told(DescriptorStatus status) {
    String left = Integer.toUnsignedString(status.getLimitRemaining());
    if (!status.hasCurrentLimit()) {
      boolean unlimited = left.equals("4294967295");
      return unlimited ? "unlimited" : left.equals("0") ? "none" : "none/" + left;
    }
    return code(status.getCode()) + "/" + left;
  }

  private static String code(RateLimitResponse.Code code) {
    return code == RateLimitResponse.Code.OVER_LIMIT
        ? "over"
        : code.name().toLowerCase(Locale.ROOT);
  }
}
