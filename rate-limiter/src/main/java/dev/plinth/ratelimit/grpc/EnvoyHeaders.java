package dev.plinth.ratelimit.grpc;

import com.google.protobuf.util.Durations;
import dev.plinth.envoy.config.core.v3.HeaderValue;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import dev.plinth.ratelimit.pipeline.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Which headers the answers to a proxy ask it to add: none; three of a limit, what is left of it
 * and the seconds until it is whole, by any names; or those of {@link LimitHeaders}.
 *
 * @param names of the three, or none of them
 */
public record EnvoyHeaders(List<String> names, boolean structured) {
  public static final String FORM =
      "none, x-ratelimit, ratelimit, structured, or the names of limit,remaining,reset";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9-]{1,64}");

  public EnvoyHeaders {
    names = List.copyOf(names);
  }

  /**
   * As a setting has it.
   *
   * @throws IllegalArgumentException if it is none of {@link #FORM}
   */
  public static EnvoyHeaders parse(String setting) {
    return switch (setting) {
      case "none" -> new EnvoyHeaders(List.of(), false);
      case "structured" -> new EnvoyHeaders(List.of(), true);
      case "x-ratelimit" ->
          named("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset");
      case "ratelimit" -> named("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset");
      default -> named(setting.split(",", -1));
    };
  }

  private static EnvoyHeaders named(String... names) {
    boolean fine = names.length == 3;
    for (String name : names) {
      fine &= NAME.matcher(name).matches();
    }
    if (!fine) {
      throw new IllegalArgumentException("not " + FORM);
    }
    return new EnvoyHeaders(List.of(names), false);
  }

  /**
   * @param statuses of the answer
   * @param decisive the number of the status that they tell of, or less than 0
   */
  List<HeaderValue> of(List<DescriptorStatus> statuses, List<Decision> decisions, int decisive) {
    if (decisive < 0) {
      return List.of();
    }
    List<HeaderValue> headers = new ArrayList<>();
    if (structured) {
      LimitHeaders.of(decisions.get(decisive))
          .forEach((name, value) -> headers.add(header(name, value)));
    } else if (!names.isEmpty()) {
      DescriptorStatus status = statuses.get(decisive);
      headers.add(header(names.get(0), unsigned(status.getCurrentLimit().getRequestsPerUnit())));
      headers.add(header(names.get(1), unsigned(status.getLimitRemaining())));
      headers.add(header(names.get(2), String.valueOf(seconds(status))));
    }
    return headers;
  }

  private static String unsigned(int number) {
    return Integer.toUnsignedString(number);
  }

  /** Begun ones are whole: who waits for them does not come too early. */
  private static long seconds(DescriptorStatus status) {
    return Durations.toSeconds(Durations.fromNanos(toNanos(status) + 999_999_999L));
  }

  private static long toNanos(DescriptorStatus status) {
    return Durations.toNanos(status.getDurationUntilReset());
  }

  private static HeaderValue header(String name, String value) {
    return HeaderValue.newBuilder().setKey(name).setValue(value).build();
  }
}
