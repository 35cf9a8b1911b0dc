package dev.plinth.ratelimit.policy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** One property of what is to be limited. */
public record Descriptor(String key, String value) {
  private static final int MAX = 256;
  private static final int KEPT_OF_LONG = 192; // with the digest, one more than MAX

  /**
   * A text of up to 256 characters as it is. A longer one is its beginning and a SHA-256: 257
   * characters, so that no text that is kept as it is can be the same, and no caller can make two
   * that are.
   */
  public static String shortened(String text) {
    return text.length() <= MAX ? text : text.substring(0, KEPT_OF_LONG) + "~" + digest(text);
  }

  private static String digest(String text) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
