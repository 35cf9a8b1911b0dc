package dev.plinth.simulation.etcd;

import com.google.protobuf.MessageLite;
import io.etcd.jetcd.Auth;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Cluster;
import io.etcd.jetcd.Election;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.Lease;
import io.etcd.jetcd.Lock;
import io.etcd.jetcd.Maintenance;
import io.etcd.jetcd.Watch;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;

/** jetcd's client as far as the model goes. */
record SimulatedClient(SimulatedEtcdConnection connection) implements Client {
  /** Fails with etcd's status, as jetcd's calls of KV and Lease do. */
  <Q extends MessageLite, A, R> CompletableFuture<R> call(
      Q request, BiFunction<EtcdModel, Q, A> apply, Function<A, R> convert) {
    return connection.call(request, apply).thenApply(convert);
  }

  static UnsupportedOperationException notModelled() {
    return new UnsupportedOperationException("the simulated etcd does not do this");
  }

  @Override
  public KV getKVClient() {
    return new SimulatedKv(this);
  }

  @Override
  public Lease getLeaseClient() {
    return new SimulatedLeases(this);
  }

  @Override
  public Maintenance getMaintenanceClient() {
    return new SimulatedMaintenance(this);
  }

  @Override
  public Auth getAuthClient() {
    throw notModelled();
  }

  @Override
  public Cluster getClusterClient() {
    throw notModelled();
  }

  @Override
  public Watch getWatchClient() {
    throw notModelled();
  }

  @Override
  public Lock getLockClient() {
    throw notModelled();
  }

  @Override
  public Election getElectionClient() {
    throw notModelled();
  }

  @Override
  public void close() {
    connection.close();
  }
}
