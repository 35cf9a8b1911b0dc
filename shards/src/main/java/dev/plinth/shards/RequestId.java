package dev.plinth.shards;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A request's id as it is kept: the first 128 bits of its SHA-256, so that all weigh the same and
 * nobody can make two that are alike. Stored data depends on it: it never changes.
 */
public record RequestId(long high, long low) implements Comparable<RequestId> {
  private static final ThreadLocal<MessageDigest> SHA = ThreadLocal.withInitial(RequestId::sha256);

  /**
   * @param text unique among all mutations of all callers; an app puts its own name and the
   *     namespace before the caller's id
   */
  public static RequestId of(String text) {
    ByteBuffer digest = ByteBuffer.wrap(SHA.get().digest(text.getBytes(StandardCharsets.UTF_8)));
    return new RequestId(digest.getLong(), digest.getLong());
  }

  /** So that hash maps stay fast whatever ids callers choose. */
  @Override
  public int compareTo(RequestId other) {
    int byHigh = Long.compare(high, other.high);
    return byHigh != 0 ? byHigh : Long.compare(low, other.low);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
