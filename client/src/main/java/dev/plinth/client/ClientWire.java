package dev.plinth.client;

import java.time.Duration;
import java.util.UUID;

/** Values on their way to the wire and back. */
final class ClientWire {
  private ClientWire() {}

  static com.google.protobuf.Duration duration(Duration value) {
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(value.getSeconds())
        .setNanos(value.getNano())
        .build();
  }

  static Duration duration(com.google.protobuf.Duration value) {
    return Duration.ofSeconds(value.getSeconds(), value.getNanos());
  }

  static String newRequestId() {
    return UUID.randomUUID().toString();
  }

  static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}
