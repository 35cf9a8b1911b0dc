package dev.plinth.shards.store.etcd;

import dev.plinth.server.failure.Failure.StoreUnavailable;

/** How a claim ended, as its unfinished and later commits are told. */
record ClaimEnd(StoreUnavailable failure) {
  /** The shard is another's, and none of these commits is applied. */
  static final ClaimEnd DEPOSED = new ClaimEnd(null);

  boolean isUnknown() {
    return failure != null && failure.mayHaveApplied();
  }

  void complete(PendingCommit commit) {
    if (failure == null) {
      commit.deposed();
    } else if (commit.wasSent() || !failure.mayHaveApplied()) {
      commit.fail(failure);
    } else {
      commit.fail(EtcdFailure.notApplied("not sent after a commit that failed", failure));
    }
  }
}
