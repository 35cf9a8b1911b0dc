package dev.plinth.client.internal;

import java.time.Duration;

/** Values on their way to the wire and back. */
public final class ClientWire {
  /** As long as a process may run; added to a clock's nanoseconds it does not overflow. */
  private static final Duration ALWAYS = Duration.ofDays(36_500);

  private ClientWire() {}

  /** A wait that a caller gives, however long it says. */
  public static long nanos(Duration wait) {
    return longer(shorter(wait, ALWAYS), Duration.ZERO).toNanos();
  }

  public static com.google.protobuf.Duration duration(Duration value) {
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(value.getSeconds())
        .setNanos(value.getNano())
        .build();
  }

  public static Duration duration(com.google.protobuf.Duration value) {
    return Duration.ofSeconds(value.getSeconds(), value.getNanos());
  }

  public static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  public static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}
