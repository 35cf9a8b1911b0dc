package dev.plinth.lease.core;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/** Secrets that only their holders know; we keep digests. */
public final class Secrets {
  private Secrets() {}

  /**
   * @param random that nobody can guess
   */
  public static String make(RandomGenerator random) {
    byte[] bytes = new byte[16];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /**
   * The secret that goes with a random salt and what only its holder knows: made anew from both, it
   * need not be kept.
   */
  public static String derive(String salt, String known) {
    return digest(salt + " " + known).substring(0, 32);
  }

  static String digest(String secret) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  static boolean match(String secret, String digest) {
    return MessageDigest.isEqual(
        digest(secret).getBytes(StandardCharsets.UTF_8), digest.getBytes(StandardCharsets.UTF_8));
  }
}
