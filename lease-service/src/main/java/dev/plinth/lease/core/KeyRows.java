package dev.plinth.lease.core;

import dev.plinth.shards.RowReader;
import dev.plinth.shards.RowWriter;
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
    tx.put(
        keyOf(key.name, LOST),
        RowWriter.row().text(lost.owner()).millis(lost.delay()).millis(lost.othersDelay()).bytes());
  }

  static void deleteLost(LeaseKey key, Tx tx) {
    tx.delete(keyOf(key.name, LOST));
  }

  private static String keyOf(LeaseName name, String part) {
    return PREFIX + name.path() + SEPARATOR + part;
  }

  /** The key that a row is about. */
  static LeaseName name(RowReader row) {
    return LeaseName.ofPath(row.key().substring(0, row.key().lastIndexOf(SEPARATOR)));
  }

  private static byte[] encode(Hold hold) {
    RowWriter row =
        RowWriter.row()
            .text(hold.leaseOwner.ownerId())
            .text(hold.leaseOwner.sessionId())
            .word(hold.leaseMode)
            .number(hold.weight)
            .millis(hold.life().ttl)
            .millis(hold.lockDelay)
            .number(hold.entries)
            .number(hold.acquiredAt.toEpochMilli())
            .number(hold.version())
            .flag(hold.confirmed, CONFIRMED)
            .number(hold.term)
            .bytes(hold.payload());
    ReleaseNotice ask = hold.releaseNotice;
    if (ask != null) {
      row.nextLine("ask").millis(ask.grace()).text(ask.actor()).text(ask.reason());
    }
    return row.bytes();
  }

  /**
   * Adds what a row says to its key. Sessions are looked up by id; a hold whose session has no row
   * any more keeps its own time.
   */
  static void decode(LeaseKey key, RowReader row, BiFunction<String, String, Session> sessions) {
    String part = row.key().substring(row.key().lastIndexOf(SEPARATOR) + SEPARATOR.length());
    if (part.equals(LOST)) {
      // Rows of before there was a second delay end with the first.
      key.lockDelay.restore(row.text(), row.millis(), row.hasNext() ? row.millis() : Duration.ZERO);
      return;
    }
    Hold hold = hold(key.name, Long.parseLong(part), row, sessions);
    if (row.nextLine()) {
      // The grace counts anew from when the key is loaded.
      hold.releaseNotice = new ReleaseNotice(row.millis(), 0, row.text(), row.text());
    }
    key.holders.add(hold);
  }

  private static Hold hold(
      LeaseName name, long token, RowReader row, BiFunction<String, String, Session> sessions) {
    LeaseOwner owner = new LeaseOwner(row.text(), row.text());
    KeyRequest request = new KeyRequest(name, LeaseMode.valueOf(row.word()), row.integer());
    Duration ttl = row.millis();
    Duration lockDelay = row.millis();
    int entries = row.integer();
    Instant acquiredAt = row.instant();
    long version = row.number();
    boolean confirmed = row.flag(CONFIRMED);
    long term = row.number();
    Session session = sessions.apply(name.namespace(), owner.sessionId());
    Hold hold = new Hold(request, owner, session, token, ttl, lockDelay, acquiredAt, row.bytes());
    hold.restore(entries, version, confirmed, term);
    return hold;
  }
}
