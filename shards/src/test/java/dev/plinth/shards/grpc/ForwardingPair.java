package dev.plinth.shards.grpc;

import dev.plinth.lease.v1.KeepSessionRequest;
import dev.plinth.shards.MemoryCluster;
import dev.plinth.testkit.Await;

/** Two nodes with real ports that each serve half of the shards. */
final class ForwardingPair implements AutoCloseable {
  final ForwardingNode a;
  final ForwardingNode b;

  /** A namespace whose shard b serves, as a knows. */
  final String there;

  ForwardingPair() {
    MemoryCluster cluster = new MemoryCluster(ForwardingNode.SHARDS);
    a = new ForwardingNode(cluster, "a");
    b = new ForwardingNode(cluster, "b");
    Await.until(
        "an even spread", () -> a.shards.served().size() == 4 && b.shards.served().size() == 4);
    there = b.namespaceHere();
    Await.until(
        "a knows",
        () -> a.shards.routes().of(a.shards.shardOf(there)).address().equals(b.address()));
  }

  static KeepSessionRequest request(String namespace, long seq) {
    return KeepSessionRequest.newBuilder().setNamespace(namespace).setSeq(seq).build();
  }

  @Override
  public void close() {
    a.close();
    b.close();
  }
}
