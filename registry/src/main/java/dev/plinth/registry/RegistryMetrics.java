package dev.plinth.registry;

import dev.plinth.registry.core.MemberEnd;
import dev.plinth.registry.core.MemberState;
import dev.plinth.registry.core.RegistryEvents;
import dev.plinth.server.ServiceMeters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Every meter of the registry. */
final class RegistryMetrics implements RegistryEvents {
  private static final String KNOWN = "KNOWN";
  private static final String UNKNOWN = "UNKNOWN";

  private final AtomicInteger members;
  private final AtomicInteger sessions;
  private final AtomicInteger held;
  private final Map<String, Counter> beats;
  private final Map<String, Counter> turns;
  private final Map<String, Counter> ends;
  private final Counter registrations;
  private final Counter excused;

  RegistryMetrics(MeterRegistry registry) {
    ServiceMeters meters = new ServiceMeters(registry, "plinth.registry.");
    members = meters.gauge("members", "Members that are there: ALIVE, DRAINING or SUSPECT");
    sessions = meters.gauge("sessions", "Sessions that are open");
    held = meters.gauge("expiry.held", "Members that a mass expiry holds back as SUSPECT");
    beats =
        meters.counters(
            "beats",
            "result",
            List.of(KNOWN, UNKNOWN),
            "Beats; UNKNOWN ones named no open session");
    turns =
        meters.counters(
            "session.turns",
            "to",
            List.of(MemberState.SUSPECT.name(), MemberState.ALIVE.name()),
            "Sessions that became SUSPECT, or ALIVE again");
    ends =
        meters.counters(
            "ends",
            "cause",
            Arrays.stream(MemberEnd.Cause.values()).map(Enum::name).toList(),
            "Members that ended, by cause");
    registrations = meters.counter("registrations", "Members that were registered");
    excused =
        meters.counter("excused", "Sessions that got time back, since the server itself was late");
  }

  @Override
  public void beat(boolean known) {
    beats.get(known ? KNOWN : UNKNOWN).increment();
  }

  @Override
  public void sessionBecame(MemberState state) {
    turns.get(state.name()).increment();
  }

  @Override
  public void registered() {
    registrations.increment();
  }

  @Override
  public void ended(MemberEnd.Cause cause) {
    ends.get(cause.name()).increment();
  }

  @Override
  public void excused() {
    excused.increment();
  }

  @Override
  public void members(int change) {
    members.addAndGet(change);
  }

  @Override
  public void sessions(int change) {
    sessions.addAndGet(change);
  }

  @Override
  public void held(int change) {
    held.addAndGet(change);
  }
}
