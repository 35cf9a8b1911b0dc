package dev.plinth.simulation.etcd;

import com.google.protobuf.MessageLite;
import io.etcd.jetcd.Maintenance;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmType;
import io.etcd.jetcd.api.DefragmentRequest;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.common.exception.EtcdExceptionFactory;
import io.etcd.jetcd.maintenance.AlarmMember;
import io.etcd.jetcd.maintenance.AlarmResponse;
import io.etcd.jetcd.maintenance.DefragmentResponse;
import io.etcd.jetcd.maintenance.HashKVResponse;
import io.etcd.jetcd.maintenance.MoveLeaderResponse;
import io.etcd.jetcd.maintenance.SnapshotResponse;
import io.etcd.jetcd.maintenance.StatusResponse;
import io.grpc.stub.StreamObserver;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Alarms, and the size of the file. Every member is the same one. */
record SimulatedMaintenance(SimulatedClient client) implements Maintenance {
  /** Here jetcd puts an exception of its own in the place of etcd's status. */
  private <Q extends MessageLite, A, R> CompletableFuture<R> call(
      Q request, BiFunction<EtcdModel, Q, A> apply, Function<A, R> convert) {
    return client
        .connection()
        .call(request, apply)
        .handle(
            (answer, failure) -> {
              if (failure != null) {
                throw EtcdExceptionFactory.toEtcdException(failure);
              }
              return convert.apply(answer);
            });
  }

  @Override
  public CompletableFuture<AlarmResponse> listAlarms() {
    return alarm(AlarmRequest.AlarmAction.GET, AlarmType.NONE);
  }

  @Override
  public CompletableFuture<AlarmResponse> alarmDisarm(AlarmMember member) {
    return alarm(
        AlarmRequest.AlarmAction.DEACTIVATE, AlarmType.valueOf(member.getAlarmType().name()));
  }

  private CompletableFuture<AlarmResponse> alarm(AlarmRequest.AlarmAction action, AlarmType type) {
    return call(
        AlarmRequest.newBuilder().setAction(action).setAlarm(type).build(),
        EtcdModel::alarm,
        AlarmResponse::new);
  }

  @Override
  public CompletableFuture<DefragmentResponse> defragmentMember(String endpoint) {
    return call(
        DefragmentRequest.getDefaultInstance(), EtcdModel::defragment, DefragmentResponse::new);
  }

  @Override
  public CompletableFuture<StatusResponse> statusMember(String endpoint) {
    return call(StatusRequest.getDefaultInstance(), EtcdModel::status, StatusResponse::new);
  }

  @Override
  public CompletableFuture<HashKVResponse> hashKV(String endpoint, long revision) {
    throw SimulatedClient.notModelled();
  }

  @Override
  public CompletableFuture<Long> snapshot(OutputStream output) {
    throw SimulatedClient.notModelled();
  }

  @Override
  public void snapshot(StreamObserver<SnapshotResponse> observer) {
    throw SimulatedClient.notModelled();
  }

  @Override
  public CompletableFuture<MoveLeaderResponse> moveLeader(long member) {
    throw SimulatedClient.notModelled();
  }
}
