package dev.plinth.ratelimit.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The script's text, and the digest by which Redis knows it once it was loaded. */
record Script(byte[] text, byte[] digest) {
  static final Script BUDGETS = read("budgets.lua");

  private static Script read(String resource) {
    try (InputStream in = Script.class.getResourceAsStream(resource)) {
      byte[] text = in.readAllBytes();
      byte[] sha = MessageDigest.getInstance("SHA-1").digest(text);
      return new Script(text, HexFormat.of().formatHex(sha).getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
