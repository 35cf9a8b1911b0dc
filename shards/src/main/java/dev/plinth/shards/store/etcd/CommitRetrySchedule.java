package dev.plinth.shards.store.etcd;

import java.util.concurrent.TimeUnit;

/** The pauses between tries of a commit, and their end: when the session's authority has passed. */
final class CommitRetrySchedule {
  private static final long FIRST_MILLIS = 40;
  private static final long MAX_MILLIS = 500;

  private final NodeSession nodeSession;
  private final EtcdStoreContext etcdStoreContext;

  CommitRetrySchedule(NodeSession nodeSession, EtcdStoreContext etcdStoreContext) {
    this.nodeSession = nodeSession;
    this.etcdStoreContext = etcdStoreContext;
  }

  boolean isExpired() {
    return !nodeSession.hasAuthority(etcdStoreContext.nanos().getAsLong());
  }

  /**
   * Pauses the commit, until {@code then} resumes it. There is no pause before its second try: most
   * often a connection was cut, and the next one does.
   */
  void pause(PendingCommit commit, Runnable then) {
    int pauses = commit.tries() - 1;
    if (pauses == 0) {
      return;
    }
    commit.pause();
    etcdStoreContext
        .scheduler()
        .schedule(
            then,
            Math.min(FIRST_MILLIS << Math.min(pauses - 1, 8), MAX_MILLIS),
            TimeUnit.MILLISECONDS);
  }
}
