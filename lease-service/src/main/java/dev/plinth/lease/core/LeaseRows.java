package dev.plinth.lease.core;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Leases and sessions as rows that an operator can read: a line each for the version and for every
 * holder, words split by spaces, times in milliseconds.
 *
 * <pre>
 * lease/k/default/printer:  v1
 *                           hold ann - 67174400 EXCLUSIVE 10000 0 1 1767225600000 1 -
 * lease/s/default/s-1abc:   v1 ann 10000 0
 * </pre>
 */
final class LeaseRows {
  static final String KEYS = "lease/k/";
  static final String SESSIONS = "lease/s/";
  static final String FENCES = "lease/f/";
  static final String VERSION = "v1";
  private static final String NONE = "-";
  private static final String CONFIRMED = "confirmed";

  private LeaseRows() {}

  static String keyOf(LeaseName name) {
    return KEYS + name.namespace() + "/" + name.key();
  }

  static String keyOf(Session session) {
    return SESSIONS + session.namespace + "/" + session.id;
  }

  static String fenceOf(LeaseName resource) {
    return FENCES + resource.namespace() + "/" + resource.key();
  }

  static byte[] encode(Session session) {
    String row =
        String.join(
            " ", VERSION, text(session.ownerId), millis(session.ttl), millis(session.lockDelay));
    return row.getBytes(StandardCharsets.UTF_8);
  }

  static Session session(String rowKey, byte[] value) {
    String[] words = new String(value, StandardCharsets.UTF_8).split(" ");
    check(rowKey, words[0]);
    String path = rowKey.substring(SESSIONS.length());
    int slash = path.indexOf('/');
    return new Session(
        path.substring(0, slash),
        path.substring(slash + 1),
        untext(words[1]),
        duration(words[2]),
        duration(words[3]));
  }

  static byte[] encode(LeaseKey key) {
    StringBuilder row = new StringBuilder(VERSION);
    for (Hold hold : key.holds) {
      row.append("\nhold ").append(text(hold.ownerId));
      row.append(' ').append(text(hold.sessionId()));
      row.append(' ').append(hold.token).append(' ').append(hold.mode);
      row.append(' ').append(millis(hold.ttl)).append(' ').append(millis(hold.lockDelay));
      row.append(' ').append(hold.entries).append(' ').append(hold.acquiredAt.toEpochMilli());
      row.append(' ').append(hold.version()).append(' ').append(hold.confirmed ? CONFIRMED : NONE);
      if (hold.payload().length > 0) {
        row.append(' ').append(Base64.getEncoder().encodeToString(hold.payload()));
      }
    }
    if (!key.lostDelay.isZero()) {
      row.append("\nlost ").append(text(key.lostOwner)).append(' ').append(millis(key.lostDelay));
    }
    return row.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Sessions are looked up by id; a hold whose session has no row any more keeps its own time. */
  static LeaseKey key(String rowKey, byte[] value, BiFunction<String, String, Session> sessions) {
    String path = rowKey.substring(KEYS.length());
    int slash = path.indexOf('/');
    LeaseKey key = new LeaseKey(new LeaseName(path.substring(0, slash), path.substring(slash + 1)));
    String[] lines = new String(value, StandardCharsets.UTF_8).split("\n");
    check(rowKey, lines[0]);
    for (int i = 1; i < lines.length; i++) {
      String[] words = lines[i].split(" ");
      if (words[0].equals("hold")) {
        key.holds.add(hold(words, id -> sessions.apply(key.name.namespace(), id)));
      } else {
        key.lostOwner = untext(words[1]);
        key.lostDelay = duration(words[2]);
      }
    }
    key.stored = true;
    return key;
  }

  private static Hold hold(String[] words, Function<String, Session> sessions) {
    Hold hold =
        new Hold(
            untext(words[1]),
            sessions.apply(untext(words[2])),
            Long.parseLong(words[3]),
            Mode.valueOf(words[4]),
            duration(words[5]),
            duration(words[6]),
            Instant.ofEpochMilli(Long.parseLong(words[8])),
            words.length > 11 ? Base64.getDecoder().decode(words[11]) : new byte[0]);
    hold.restore(Integer.parseInt(words[7]), Long.parseLong(words[9]), words[10].equals(CONFIRMED));
    return hold;
  }

  static void check(String rowKey, String version) {
    if (!version.equals(VERSION)) {
      throw new IllegalStateException(
          rowKey + " has format " + version + " (expected: " + VERSION + ")");
    }
  }

  private static String text(String value) {
    if (value.isEmpty()) {
      return NONE;
    }
    return value.equals(NONE) ? "%2D" : URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  private static String untext(String word) {
    return word.equals(NONE) ? "" : URLDecoder.decode(word, StandardCharsets.UTF_8);
  }

  private static String millis(Duration duration) {
    return String.valueOf(duration.toMillis());
  }

  private static Duration duration(String millis) {
    return Duration.ofMillis(Long.parseLong(millis));
  }
}
