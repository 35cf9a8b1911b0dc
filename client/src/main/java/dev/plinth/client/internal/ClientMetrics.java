package dev.plinth.client.internal;

import dev.plinth.client.LeaseState;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All meters of a client, in Micrometer. The only class that needs it. */
public final class ClientMetrics implements ClientEvents {
  private static final List<String> OUTCOMES = List.of("GRANTED", "NOT_GRANTED", "FAILED");

  private final Map<String, Timer> acquires = new HashMap<>();
  private final Map<LeaseState, Timer> holds = new EnumMap<>(LeaseState.class);
  private final Counter jeopardies;
  private final Timer slack;
  private final Counter rejections;
  private final Counter backwards;

  public ClientMetrics(MeterRegistry registry) {
    for (String outcome : OUTCOMES) {
      acquires.put(outcome, registry.timer("plinth.client.acquire", "outcome", outcome));
    }
    for (LeaseState end : List.of(LeaseState.RELEASED, LeaseState.LOST)) {
      holds.put(end, registry.timer("plinth.client.hold", "end", end.name()));
    }
    jeopardies = registry.counter("plinth.client.jeopardy");
    slack = registry.timer("plinth.client.renewal.slack");
    rejections = registry.counter("plinth.client.fence.rejections");
    backwards = registry.counter("plinth.client.token.backwards");
  }

  @Override
  public void acquired(String outcome, Duration took) {
    SafeMeters.record(acquires.get(outcome), took);
  }

  @Override
  public void held(LeaseState end, Duration howLong) {
    SafeMeters.record(holds.get(end), howLong);
  }

  @Override
  public void jeopardy() {
    SafeMeters.increment(jeopardies, 1);
  }

  @Override
  public void renewed(Duration left) {
    SafeMeters.record(slack, left);
  }

  @Override
  public void fenceRejected() {
    SafeMeters.increment(rejections, 1);
  }

  @Override
  public void tokenWentBack() {
    SafeMeters.increment(backwards, 1);
  }
}
