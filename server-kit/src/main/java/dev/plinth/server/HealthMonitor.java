package dev.plinth.server;

import io.grpc.BindableService;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Health of the whole process and of each service, from the state of the engines. It is never
 * latched: a service is NOT_SERVING exactly while one of its essential engines is in trouble, until
 * the process drains.
 */
final class HealthMonitor {
  private static final Logger log = System.getLogger("plinth.health");

  /** How an engine was when last asked, and since when. */
  record EngineReport(Engine engine, Optional<String> trouble, Instant since) {
    /** Its trouble is that of the services that need it. */
    boolean isInTheWay() {
      return trouble.isPresent() && engine.isEssential();
    }
  }

  /** A service by its full gRPC name. */
  record ServiceReport(String name, boolean serving, List<Engine> engines) {}

  private final HealthStatusManager manager = new HealthStatusManager();
  private final Map<String, List<Engine>> services = new LinkedHashMap<>();
  private final InstantSource clock;
  private volatile List<EngineReport> engines = List.of();
  private volatile boolean draining;

  HealthMonitor(InstantSource clock) {
    this.clock = clock;
  }

  /** The overall health depends on every engine; a service's only on those it needs. */
  void add(Engine engine) {
    if (engines.stream().noneMatch(report -> report.engine() == engine)) {
      List<EngineReport> reports = new ArrayList<>(engines);
      reports.add(new EngineReport(engine, Optional.empty(), clock.instant()));
      engines = List.copyOf(reports);
    }
  }

  void add(String service, List<Engine> needed) {
    needed.forEach(this::add);
    services.put(service, List.copyOf(needed));
  }

  /** Asks every engine once and publishes what follows. One thread at a time. */
  synchronized void refresh() {
    if (draining) {
      return;
    }
    engines = engines.stream().map(this::poll).toList();
    services().forEach(report -> publish(report.name(), report.serving()));
    publish(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, isServing());
  }

  /** From here on NOT_SERVING, whatever the engines do. */
  synchronized void drain() {
    draining = true;
    manager.enterTerminalState();
  }

  boolean isServing() {
    return !draining && engines.stream().noneMatch(EngineReport::isInTheWay);
  }

  boolean isDraining() {
    return draining;
  }

  List<EngineReport> engines() {
    return engines;
  }

  List<ServiceReport> services() {
    return services.entrySet().stream()
        .map(entry -> new ServiceReport(entry.getKey(), serves(entry.getValue()), entry.getValue()))
        .toList();
  }

  BindableService endpoint() {
    return manager.getHealthService();
  }

  private boolean serves(List<Engine> needed) {
    return !draining
        && engines.stream()
            .noneMatch(report -> report.isInTheWay() && needed.contains(report.engine()));
  }

  private void publish(String service, boolean serving) {
    manager.setStatus(service, serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
  }

  private EngineReport poll(EngineReport last) {
    Engine engine = last.engine();
    Optional<String> trouble = unavailableReasonOf(engine);
    if (trouble.isPresent() == last.trouble().isPresent()) {
      return new EngineReport(engine, trouble, last.since());
    }
    String what = "engine " + engine.name() + " (" + engine.kind() + " " + engine.location() + ")";
    trouble.ifPresentOrElse(
        why -> log.log(Level.WARNING, what + " is down: " + why),
        () -> log.log(Level.INFO, what + " is up again"));
    return new EngineReport(engine, trouble, clock.instant());
  }

  /** An engine that cannot even be asked is down; the others are still asked. */
  private static Optional<String> unavailableReasonOf(Engine engine) {
    try {
      return engine.unavailableReason();
    } catch (RuntimeException e) {
      return Optional.of(e.toString());
    }
  }
}
