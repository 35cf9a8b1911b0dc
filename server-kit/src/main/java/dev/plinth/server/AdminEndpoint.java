package dev.plinth.server;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import dev.plinth.admin.v1.AdminServiceGrpc;
import dev.plinth.admin.v1.EngineState;
import dev.plinth.admin.v1.EngineStatus;
import dev.plinth.admin.v1.GetStatusRequest;
import dev.plinth.admin.v1.GetStatusResponse;
import dev.plinth.admin.v1.HealthState;
import dev.plinth.admin.v1.ListShardsRequest;
import dev.plinth.admin.v1.ListShardsResponse;
import dev.plinth.admin.v1.ServiceStatus;
import io.grpc.stub.StreamObserver;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Answers from memory alone, so that an operator is served while an engine is away. */
final class AdminEndpoint extends AdminServiceGrpc.AdminServiceImplBase {
  private final HealthMonitor healthMonitor;
  private final Supplier<ListShardsResponse> shards;
  private final LongSupplier nanos;
  private final Instant startedAt;
  private final long startedNanos;

  /**
   * @param shards what is known of shards; null where the process has none
   */
  AdminEndpoint(
      HealthMonitor healthMonitor,
      Supplier<ListShardsResponse> shards,
      InstantSource clock,
      LongSupplier nanos) {
    this.healthMonitor = healthMonitor;
    this.shards = shards;
    this.nanos = nanos;
    this.startedAt = clock.instant();
    this.startedNanos = nanos.getAsLong();
  }

  @Override
  public void getStatus(GetStatusRequest request, StreamObserver<GetStatusResponse> answer) {
    GetStatusResponse.Builder status =
        GetStatusResponse.newBuilder()
            .setVersion(Version.current())
            .setStartedAt(timestamp(startedAt))
            .setUptime(Durations.fromNanos(nanos.getAsLong() - startedNanos))
            .setState(state(healthMonitor.isServing()));
    healthMonitor.services().forEach(service -> status.addServices(wire(service)));
    healthMonitor.engines().forEach(engine -> status.addEngines(wire(engine)));
    answer.onNext(status.build());
    answer.onCompleted();
  }

  @Override
  public void listShards(ListShardsRequest request, StreamObserver<ListShardsResponse> answer) {
    if (shards == null) {
      super.listShards(request, answer); // UNIMPLEMENTED
      return;
    }
    answer.onNext(shards.get());
    answer.onCompleted();
  }

  private static ServiceStatus wire(HealthMonitor.ServiceReport service) {
    ServiceStatus.Builder status =
        ServiceStatus.newBuilder().setName(service.name()).setState(state(service.serving()));
    service.engines().forEach(engine -> status.addEngines(engine.name()));
    return status.build();
  }

  private static EngineStatus wire(HealthMonitor.EngineReport report) {
    return EngineStatus.newBuilder()
        .setName(report.engine().name())
        .setKind(report.engine().kind())
        .setLocation(report.engine().location())
        .setState(
            report.trouble().isEmpty()
                ? EngineState.ENGINE_STATE_UP
                : EngineState.ENGINE_STATE_DOWN)
        .setDetail(report.trouble().orElse(""))
        .setSince(timestamp(report.since()))
        .build();
  }

  private static HealthState state(boolean serving) {
    return serving ? HealthState.HEALTH_STATE_SERVING : HealthState.HEALTH_STATE_NOT_SERVING;
  }

  private static Timestamp timestamp(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }
}
