package dev.plinth.lease.core;

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
    return RowText.bytes(
        String.join(
            " ",
            RowText.VERSION,
            RowText.encode(session.ownerId),
            RowText.millis(session.expiryTimer.ttl),
            RowText.millis(session.lockDelay),
            RowText.encode(session.digest)));
  }

  static Session decode(String rowKey, byte[] value) {
    String[] words = RowText.lines(rowKey, value)[0].split(" ");
    LeaseName name = RowText.name(rowKey, PREFIX);
    return new Session(
        name.namespace(),
        name.key(),
        RowText.decode(words[1]),
        RowText.duration(words[2]),
        RowText.duration(words[3]),
        RowText.decode(words[4]));
  }
}
