package dev.plinth.shards.store.etcd;

import io.etcd.jetcd.Client;
import java.time.Duration;
import java.util.List;

/**
 * Opens connections to etcd, each to the first of some members that takes it. Every call on one
 * ends within the timeout.
 */
public interface EtcdConnections {
  /** For everything but transactions. */
  Client client(List<String> members, Duration timeout);

  TxnSender txns(List<String> members, Duration timeout);

  /** Over the network. */
  static EtcdConnections network() {
    return new EtcdConnections() {
      @Override
      public Client client(List<String> members, Duration timeout) {
        return EtcdClientFactory.connect(members, timeout);
      }

      @Override
      public TxnSender txns(List<String> members, Duration timeout) {
        return new TxnChannel(members, timeout);
      }
    };
  }
}
