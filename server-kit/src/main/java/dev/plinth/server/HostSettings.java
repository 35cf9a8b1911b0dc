package dev.plinth.server;

import static dev.plinth.server.settings.InvalidSettingException.unlessBetween;

import dev.plinth.server.log.LogSettings;
import dev.plinth.server.settings.ByteSize;
import dev.plinth.server.settings.Inline;
import dev.plinth.server.settings.Setting;
import java.time.Duration;

/** How a process meets the network. */
public record HostSettings(
    @Setting(meaning = "gRPC port; 0 picks a free one", byDefault = "7450") int port,
    @Setting(
            meaning = "HTTP port of /metrics, /livez and /readyz; 0 picks a free one",
            byDefault = "7451")
        int adminPort,
    @Setting(
            meaning =
                "Address to listen on; calls are not authenticated, so beyond loopback only in a"
                    + " trusted network",
            byDefault = "127.0.0.1")
        String bind,
    @Setting(meaning = "Serve gRPC reflection, which grpcurl needs", byDefault = "true")
        boolean reflection,
    Limits limits,
    Drain drain,
    LogSettings log) {

  public HostSettings {
    unlessBetween("port", port, 0, 65535);
    unlessBetween("adminPort", adminPort, 0, 65535);
  }

  /** Bounds on what one caller can take. */
  public record Limits(
      @Setting(meaning = "Largest request message", byDefault = "4MiB") ByteSize messageSize,
      @Setting(meaning = "Largest request metadata", byDefault = "16KiB") ByteSize metadataSize,
      @Setting(meaning = "Open connections; one more is closed at once", byDefault = "10000")
          int connections,
      @Setting(meaning = "Concurrent calls on one connection", byDefault = "1000")
          int callsPerConnection,
      @Setting(
              meaning =
                  "Bytes that one connection may keep in memory: of open calls and their requests,"
                      + " and of answers that it does not take",
              byDefault = "16MiB")
          ByteSize connectionBytes,
      @Setting(meaning = "Longest a unary call may take", byDefault = "30s") Duration unaryDeadline,
      @Inline ConnectionLifetime lifetime) {

    private static final ByteSize KIB = new ByteSize(1 << 10);
    private static final ByteSize MIB = new ByteSize(1 << 20);
    private static final ByteSize MOST_MESSAGE = new ByteSize(1 << 30);
    private static final ByteSize MOST_CONNECTION = new ByteSize(1L << 40);

    public Limits {
      unlessBetween("messageSize", messageSize, KIB, MOST_MESSAGE);
      unlessBetween("metadataSize", metadataSize, KIB, MIB);
      unlessBetween("connections", connections, 1, 10_000_000);
      unlessBetween("connectionBytes", connectionBytes, messageSize, MOST_CONNECTION);
      unlessBetween("callsPerConnection", callsPerConnection, 1, 1_000_000);
      unlessBetween("unaryDeadline", unaryDeadline, Duration.ofMillis(10), Duration.ofHours(1));
    }
  }

  /** How long a connection lives, and how it is kept alive. */
  public record ConnectionLifetime(
      @Setting(meaning = "Least time between a client's keepalive pings", byDefault = "10s")
          Duration keepaliveInterval,
      @Setting(
              meaning =
                  "Age at which a connection is told to reconnect, so that load spreads again",
              byDefault = "30m")
          Duration connectionAge,
      @Setting(meaning = "Time that calls on a connection of that age get to end", byDefault = "1m")
          Duration connectionAgeGrace) {

    public ConnectionLifetime {
      unlessBetween(
          "keepaliveInterval", keepaliveInterval, Duration.ofSeconds(1), Duration.ofHours(1));
      unlessBetween("connectionAge", connectionAge, Duration.ofSeconds(1), Duration.ofDays(30));
      unlessBetween("connectionAgeGrace", connectionAgeGrace, Duration.ZERO, Duration.ofDays(1));
    }
  }

  /** How a process ends. */
  public record Drain(
      @Setting(
              meaning =
                  "Time between NOT_SERVING and refusing calls, for load balancers to notice;"
                      + " skipped while nobody is connected",
              byDefault = "2s")
          Duration pause,
      @Setting(meaning = "Time that running calls then get to end", byDefault = "20s")
          Duration grace) {
    /** Time that other nodes get to take over what this one answers for. */
    static final Duration LEAVE = Duration.ofSeconds(10);

    private static final Duration CLOSE = Duration.ofSeconds(20);

    public Drain {
      unlessBetween("pause", pause, Duration.ZERO, Duration.ofMinutes(10));
      unlessBetween("grace", grace, Duration.ZERO, Duration.ofHours(1));
    }

    /**
     * The longest that a clean end may take, leaving and closing of stores included; after it the
     * process is ended.
     */
    public Duration atMost() {
      return LEAVE.plus(pause).plus(grace).plus(CLOSE);
    }
  }
}
