package dev.plinth.lease.core;

import dev.plinth.shards.RowReader;
import dev.plinth.shards.RowWriter;

/**
 * A session's row: owner, ttl, lock-delay, digest of its secret. Where its end takes several
 * commits, the first of them adds why it ends, so that nobody goes on with it in between.
 *
 * <pre>
 * lease/s/default/s-1abc:  v1 ann 10000 0 9f86d081884c7d65...
 * lease/s/default/s-1abd:  v1 bob 10000 0 60303ae22b998861... EXPIRED
 * </pre>
 */
final class SessionRows {
  static final String PREFIX = "lease/s/";

  private SessionRows() {}

  static String keyOf(Session session) {
    return PREFIX + session.namespace + "/" + session.id;
  }

  static byte[] encode(Session session) {
    RowWriter row =
        RowWriter.row()
            .text(session.ownerId)
            .millis(session.expiryTimer.ttl)
            .millis(session.lockDelay)
            .text(session.digest);
    return (session.isEnded() ? row.word(session.ending().cause()) : row).bytes();
  }

  static Session decode(RowReader row) {
    LeaseName name = LeaseName.ofPath(row.key());
    Session session =
        new Session(
            name.namespace(), name.key(), row.text(), row.millis(), row.millis(), row.text());
    if (row.hasNext()) {
      HoldEndCause cause = HoldEndCause.valueOf(row.word());
      session.end(
          cause == HoldEndCause.EXPIRED ? HoldEnd.EXPIRED : HoldEnd.by(session.ownerId, cause));
    }
    return session;
  }
}
