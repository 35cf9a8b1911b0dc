package dev.plinth.ratelimit.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The script's text, and the digest by which Redis knows it once it was loaded. */
record RedisScript(byte[] text, byte[] digest) {
  static final RedisScript BUDGETS = read("budgets.lua");

  private static RedisScript read(String resource) {
    try (InputStream in = RedisScript.class.getResourceAsStream(resource)) {
      byte[] text = in.readAllBytes();
      byte[] sha = MessageDigest.getInstance("SHA-1").digest(text);
      return new RedisScript(
          text, HexFormat.of().formatHex(sha).getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
