package dev.plinth.standalone;

import dev.plinth.server.DataFolder;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.Metrics;
import dev.plinth.server.Running;
import java.time.Duration;
import java.time.Instant;

/** Every service in one process: the composition root. */
public final class Plinth implements Running {
  private final PlinthSettings settings;
  private final Metrics metrics;
  private final DataFolder data;
  private final GrpcHost host;

  private Plinth(PlinthSettings settings) {
    this.settings = settings;
    data = DataFolder.open(settings.dataDir(), Instant.now());
    metrics = new Metrics();
    try {
      host = GrpcHost.builder(settings.host(), metrics).engine(data).start();
    } catch (RuntimeException e) {
      metrics.close();
      data.close();
      throw e;
    }
  }

  public static Plinth start(PlinthSettings settings) {
    return new Plinth(settings);
  }

  public int port() {
    return host.port();
  }

  public int adminPort() {
    return host.adminPort();
  }

  /** Addresses and engines, for the ready line. */
  String summary() {
    String bind = settings.host().bind();
    return "gRPC on %s:%d, admin on http://%s:%d, %s engine in %s"
        .formatted(bind, port(), bind, adminPort(), data.kind(), data.location());
  }

  @Override
  public Duration closeAtMost() {
    return settings.host().drain().atMost();
  }

  @Override
  public void close() {
    host.close();
    data.close();
    metrics.close();
  }
}
