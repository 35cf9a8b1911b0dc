package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BiFunction;

/**
 * The rows of keys: one for every hold, and one for lost holders that bar it: the owner whose delay
 * ends last, that delay, and the longest of the others'. A hold's has a second line if its holder
 * was asked to let go. So a key with a thousand holders costs no more to take or leave than one
 * with a single holder.
 *
 * <pre>
 * lease/k/default/printer @67174400:  v1 ann - EXCLUSIVE 0 10000 0 1 1767225600000 1 - 0 -
 *                                     ask 30000 olga maintenance
 * lease/k/default/printer @lost:      v1 bob 5000 2000
 * </pre>
 */
final class KeyRows {
  static final String PREFIX = "lease/k/";
  private static final String SEPARATOR = " @";
  private static final String LOST = "lost";
  private static final String CONFIRMED = "confirmed";

  private KeyRows() {}

  static void put(Hold hold, Tx tx) {
    tx.put(keyOf(hold.name, String.valueOf(hold.token)), encode(hold));
  }

  static void delete(Hold hold, Tx tx) {
    tx.delete(keyOf(hold.name, String.valueOf(hold.token)));
  }

  static void putLost(LeaseKey key, Tx tx) {
    LockDelay lost = key.lockDelay;
    String row =
        String.join(
            " ",
            RowText.VERSION,
            RowText.encode(lost.owner()),
            RowText.millis(lost.delay()),
            RowText.millis(lost.othersDelay()));
    tx.put(keyOf(key.name, LOST), RowText.bytes(row));
  }

  static void deleteLost(LeaseKey key, Tx tx) {
    tx.delete(keyOf(key.name, LOST));
  }

  private static String keyOf(LeaseName name, String part) {
    return PREFIX + name.path() + SEPARATOR + part;
  }

  /** The key that a row is about. */
  static LeaseName name(String rowKey) {
    return RowText.name(rowKey.substring(0, rowKey.lastIndexOf(SEPARATOR)), PREFIX);
  }

  private static byte[] encode(Hold hold) {
    StringBuilder row = new StringBuilder(RowText.VERSION);
    row.append(' ').append(RowText.encode(hold.leaseOwner.ownerId()));
    row.append(' ')
        .append(RowText.encode(hold.leaseOwner.sessionId()))
        .append(' ')
        .append(hold.leaseMode);
    row.append(' ').append(hold.weight).append(' ').append(hold.life().ttl.toMillis());
    row.append(' ').append(hold.lockDelay.toMillis()).append(' ').append(hold.entries);
    row.append(' ').append(hold.acquiredAt.toEpochMilli()).append(' ').append(hold.version());
    row.append(' ').append(hold.confirmed ? CONFIRMED : RowText.NONE);
    row.append(' ').append(hold.term).append(' ').append(RowText.encodeBytes(hold.payload()));
    if (hold.releaseNotice != null) {
      row.append("\nask ").append(hold.releaseNotice.grace().toMillis());
      row.append(' ').append(RowText.encode(hold.releaseNotice.actor()));
      row.append(' ').append(RowText.encode(hold.releaseNotice.reason()));
    }
    return RowText.bytes(row.toString());
  }

  /**
   * Adds what a row says to its key. Sessions are looked up by id; a hold whose session has no row
   * any more keeps its own time.
   */
  static void decode(
      LeaseKey key, String rowKey, byte[] value, BiFunction<String, String, Session> sessions) {
    String part = rowKey.substring(rowKey.lastIndexOf(SEPARATOR) + SEPARATOR.length());
    String[] lines = RowText.lines(rowKey, value);
    String[] words = lines[0].split(" ");
    if (part.equals(LOST)) {
      // Rows of before there was a second delay end with the first.
      Duration others = words.length > 3 ? RowText.duration(words[3]) : Duration.ZERO;
      key.lockDelay.restore(RowText.decode(words[1]), RowText.duration(words[2]), others);
      return;
    }
    Hold hold = hold(key.name, Long.parseLong(part), words, sessions);
    if (lines.length > 1) {
      String[] ask = lines[1].split(" ");
      // The grace counts anew from when the key is loaded.
      hold.releaseNotice =
          new ReleaseNotice(
              RowText.duration(ask[1]), 0, RowText.decode(ask[2]), RowText.decode(ask[3]));
    }
    key.holders.add(hold);
  }

  private static Hold hold(
      LeaseName name, long token, String[] words, BiFunction<String, String, Session> sessions) {
    LeaseOwner leaseOwner = new LeaseOwner(RowText.decode(words[1]), RowText.decode(words[2]));
    Hold hold =
        new Hold(
            new KeyRequest(name, LeaseMode.valueOf(words[3]), Integer.parseInt(words[4])),
            leaseOwner,
            sessions.apply(name.namespace(), leaseOwner.sessionId()),
            token,
            RowText.duration(words[5]),
            RowText.duration(words[6]),
            Instant.ofEpochMilli(Long.parseLong(words[8])),
            RowText.decodeBytes(words[12]));
    hold.restore(
        Integer.parseInt(words[7]),
        Long.parseLong(words[9]),
        words[10].equals(CONFIRMED),
        Long.parseLong(words[11]));
    return hold;
  }
}
