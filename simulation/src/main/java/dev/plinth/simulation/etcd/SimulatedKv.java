package dev.plinth.simulation.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.Txn;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.kv.CompactResponse;
import io.etcd.jetcd.kv.DeleteResponse;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.PutResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.TxnImpl;
import io.etcd.jetcd.options.CompactOption;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.TxnOption;
import io.etcd.jetcd.support.Requests;
import java.util.concurrent.CompletableFuture;

/** Keys and values, through jetcd's own conversions. */
record SimulatedKv(SimulatedClient client) implements KV {
  private static final ByteSequence NO_NAMESPACE = ByteSequence.EMPTY;

  @Override
  public CompletableFuture<PutResponse> put(ByteSequence key, ByteSequence value) {
    return put(key, value, PutOption.DEFAULT);
  }

  @Override
  public CompletableFuture<PutResponse> put(
      ByteSequence key, ByteSequence value, PutOption option) {
    return client.call(
        Requests.mapPutRequest(key, value, option, NO_NAMESPACE),
        EtcdModel::put,
        done -> new PutResponse(done, NO_NAMESPACE));
  }

  @Override
  public CompletableFuture<GetResponse> get(ByteSequence key) {
    return get(key, GetOption.DEFAULT);
  }

  @Override
  public CompletableFuture<GetResponse> get(ByteSequence key, GetOption option) {
    return client.call(
        Requests.mapRangeRequest(key, option, NO_NAMESPACE),
        EtcdModel::range,
        found -> new GetResponse(found, NO_NAMESPACE));
  }

  @Override
  public CompletableFuture<DeleteResponse> delete(ByteSequence key) {
    return delete(key, DeleteOption.DEFAULT);
  }

  @Override
  public CompletableFuture<DeleteResponse> delete(ByteSequence key, DeleteOption option) {
    return client.call(
        Requests.mapDeleteRequest(key, option, NO_NAMESPACE),
        EtcdModel::deleteRange,
        done -> new DeleteResponse(done, NO_NAMESPACE));
  }

  @Override
  public CompletableFuture<CompactResponse> compact(long revision) {
    return compact(revision, CompactOption.DEFAULT);
  }

  @Override
  public CompletableFuture<CompactResponse> compact(long revision, CompactOption option) {
    return client.call(
        CompactionRequest.newBuilder()
            .setRevision(revision)
            .setPhysical(option.isPhysical())
            .build(),
        EtcdModel::compact,
        CompactResponse::new);
  }

  @Override
  public Txn txn() {
    return TxnImpl.newTxn(
        request ->
            client.call(request, EtcdModel::txn, done -> new TxnResponse(done, NO_NAMESPACE)),
        NO_NAMESPACE);
  }

  @Override
  public Txn txn(TxnOption option) {
    return txn();
  }
}
