package dev.plinth.lease.core;

import dev.plinth.shards.RowReader;
import dev.plinth.shards.RowWriter;

/**
 * A session's row: owner, ttl, lock-delay, digest of its secret.
 *
 * <pre>
 * lease/s/default/s-1abc:  v1 ann 10000 0 9f86d081884c7d65...
 * </pre>
 */
final class SessionRows {
  static final String PREFIX = "lease/s/";

  private SessionRows() {}

  static String keyOf(Session session) {
    return PREFIX + session.namespace + "/" + session.id;
  }

  static byte[] encode(Session session) {
    return RowWriter.row()
        .text(session.ownerId)
        .millis(session.expiryTimer.ttl)
        .millis(session.lockDelay)
        .text(session.digest)
        .bytes();
  }

  static Session decode(RowReader row) {
    LeaseName name = LeaseName.ofPath(row.key());
    return new Session(
        name.namespace(), name.key(), row.text(), row.millis(), row.millis(), row.text());
  }
}
