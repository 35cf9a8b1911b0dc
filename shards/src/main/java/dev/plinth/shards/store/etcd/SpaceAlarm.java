package dev.plinth.shards.store.etcd;

import dev.plinth.server.failure.Failure;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;

/** Remembers that etcd refused a write for want of space, until one is taken again. */
final class SpaceAlarm {
  private static final Logger log = System.getLogger("plinth.etcd");
  private static final String TROUBLE =
      "etcd takes no writes: its database has reached its quota (NOSPACE); compact, defragment and"
          + " disarm the alarm";

  private static final StoreUnavailable REFUSAL =
      StoreUnavailable.readOnly(EtcdFailure.ENGINE, TROUBLE);

  private volatile boolean raised;

  void record(EtcdFailure etcdFailure) {
    if (etcdFailure == EtcdFailure.NO_SPACE && !raised) {
      raised = true;
      log.log(Level.ERROR, TROUBLE);
    }
  }

  void worked() {
    if (raised) {
      raised = false;
      log.log(Level.INFO, "etcd takes writes again");
    }
  }

  boolean isRaised() {
    return raised;
  }

  /** What is told to whoever would write. */
  Optional<Failure> refusal() {
    return raised ? Optional.of(REFUSAL) : Optional.empty();
  }

  Optional<String> unavailableReason() {
    return raised ? Optional.of(TROUBLE) : Optional.empty();
  }
}
