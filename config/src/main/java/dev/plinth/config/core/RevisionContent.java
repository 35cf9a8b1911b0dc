package dev.plinth.config.core;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;

/**
 * What a revision says, and what agents need to trust it.
 *
 * @param bytes never changed by anybody
 * @param sha256 of the bytes
 * @param signature passed on as it came; empty if there is none
 * @param keyId names the key of the signature
 */
public record RevisionContent(
    String type,
    byte[] bytes,
    byte[] sha256,
    byte[] signature,
    String keyId,
    Optional<Duration> maxStaleness) {
  public static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  public String hash() {
    return HexFormat.of().formatHex(sha256);
  }
}
