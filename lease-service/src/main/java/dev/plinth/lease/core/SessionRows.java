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
    return Words.bytes(
        String.join(
            " ",
            Words.VERSION,
            Words.text(session.ownerId),
            Words.millis(session.life.ttl),
            Words.millis(session.lockDelay),
            Words.text(session.digest)));
  }

  static Session decode(String rowKey, byte[] value) {
    String[] words = Words.lines(rowKey, value)[0].split(" ");
    LeaseName name = Words.name(rowKey, PREFIX);
    return new Session(
        name.namespace(),
        name.key(),
        Words.untext(words[1]),
        Words.duration(words[2]),
        Words.duration(words[3]),
        Words.untext(words[4]));
  }
}
