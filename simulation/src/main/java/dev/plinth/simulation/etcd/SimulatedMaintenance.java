package dev.plinth.simulation.etcd;

import io.etcd.jetcd.Maintenance;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmType;
import io.etcd.jetcd.api.DefragmentRequest;
import io.etcd.jetcd.api.StatusRequest;
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

/** Alarms, and the size of the file. Every member is the same one. */
record SimulatedMaintenance(SimulatedClient client) implements Maintenance {
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
    return client.call(
        AlarmRequest.newBuilder().setAction(action).setAlarm(type).build(),
        EtcdModel::alarm,
        AlarmResponse::new);
  }

  @Override
  public CompletableFuture<DefragmentResponse> defragmentMember(String endpoint) {
    return client.call(
        DefragmentRequest.getDefaultInstance(), EtcdModel::defragment, DefragmentResponse::new);
  }

  @Override
  public CompletableFuture<StatusResponse> statusMember(String endpoint) {
    return client.call(StatusRequest.getDefaultInstance(), EtcdModel::status, StatusResponse::new);
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
