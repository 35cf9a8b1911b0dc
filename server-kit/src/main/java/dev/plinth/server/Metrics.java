package dev.plinth.server;

import dev.plinth.server.call.ConnectionBytes;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/** The process's meters and their Prometheus page. */
public final class Metrics implements AutoCloseable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();

  public Metrics() {
    new ClassLoaderMetrics().bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    gc.bindTo(registry);
    Gauge.builder("plinth.build.info", () -> 1)
        .description("Always 1; its label tells the version")
        .tag("version", Version.current())
        .register(registry);
  }

  public MeterRegistry registry() {
    return registry;
  }

  /** All meters in Prometheus' text format. */
  String scrape() {
    return registry.scrape();
  }

  void watch(HealthMonitor healthMonitor) {
    for (HealthMonitor.EngineReport report : healthMonitor.engines()) {
      Engine engine = report.engine();
      Gauge.builder("plinth.engine.up", () -> isUp(healthMonitor, engine) ? 1 : 0)
          .description("1 while the engine serves, 0 while it is in trouble")
          .tag("engine", engine.name())
          .tag("kind", engine.kind())
          .register(registry);
    }
    Gauge.builder("plinth.serving", () -> healthMonitor.isServing() ? 1 : 0)
        .description("1 while the overall health check says SERVING")
        .register(registry);
  }

  void watch(ConnectionBytes bytes) {
    Gauge.builder("plinth.connections.bytes", bytes, ConnectionBytes::bytes)
        .description("Bytes of open calls, incomplete requests and unread answers")
        .register(registry);
  }

  private static boolean isUp(HealthMonitor healthMonitor, Engine engine) {
    return healthMonitor.engines().stream()
        .anyMatch(report -> report.engine() == engine && report.trouble().isEmpty());
  }

  @Override
  public void close() {
    gc.close();
    registry.close();
  }
}
