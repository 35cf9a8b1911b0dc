package dev.plinth.registry;

import dev.plinth.registry.core.PresenceEvents;
import dev.plinth.registry.core.TrackResult;
import dev.plinth.registry.core.UntrackResult;
import dev.plinth.server.ServiceMeters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Every meter of presence. */
final class PresenceMetrics implements PresenceEvents {
  private static final String RESUMED = "RESUMED";
  private static final String GAP = "GAP";

  private final AtomicInteger devices;
  private final AtomicInteger rooms;
  private final AtomicInteger watchers;
  private final Map<String, Counter> tracks;
  private final Map<String, Counter> untracks;
  private final Map<String, Counter> resumes;
  private final Counter told;
  private final Counter coalesced;
  private final Counter cuts;

  PresenceMetrics(MeterRegistry registry) {
    ServiceMeters meters = new ServiceMeters(registry, "plinth.presence.");
    devices = meters.gauge("devices", "Devices that are tracked in rooms");
    rooms = meters.gauge("rooms", "Rooms with a device or a watcher");
    watchers = meters.gauge("watchers", "Watches of rooms that are open");
    tracks =
        meters.counters(
            "tracks",
            "outcome",
            names(TrackResult.Outcome.values()),
            "Calls of Track, by outcome; EPOCH_CHANGED ones came from before a change of owner");
    untracks =
        meters.counters(
            "untracks", "outcome", names(UntrackResult.values()), "Calls of Untrack, by outcome");
    resumes =
        meters.counters(
            "resumes",
            "result",
            List.of(RESUMED, GAP),
            "Watches that went on from a resume token, or were told of a gap");
    told = meters.counter("told", "Joins, leaves and changes told to watchers, once a window");
    coalesced =
        meters.counter("coalesced", "Changes that were undone or replaced within their window");
    cuts = meters.counter("watchers.cut", "Watchers that were cut off since they did not read");
  }

  private static List<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).toList();
  }

  @Override
  public void tracked(TrackResult.Outcome outcome) {
    tracks.get(outcome.name()).increment();
  }

  @Override
  public void untracked(UntrackResult outcome) {
    untracks.get(outcome.name()).increment();
  }

  @Override
  public void told(int changes, int merged) {
    told.increment(changes);
    coalesced.increment(merged);
  }

  @Override
  public void resumed(boolean gap) {
    resumes.get(gap ? GAP : RESUMED).increment();
  }

  @Override
  public void cut() {
    cuts.increment();
  }

  @Override
  public void devices(int change) {
    devices.addAndGet(change);
  }

  @Override
  public void rooms(int change) {
    rooms.addAndGet(change);
  }

  @Override
  public void watchers(int change) {
    watchers.addAndGet(change);
  }
}
