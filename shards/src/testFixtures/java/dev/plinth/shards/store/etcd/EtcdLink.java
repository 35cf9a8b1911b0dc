package dev.plinth.shards.store.etcd;

/** The link of one node to etcd, which a test makes fail. */
public interface EtcdLink {
  /** Nothing comes through either way, and nobody is told. What was sent may arrive later. */
  void silence();

  /** What the node sends is lost. */
  void loseRequests();

  /** What etcd answers is lost. */
  void loseAnswers();

  void heal();
}
