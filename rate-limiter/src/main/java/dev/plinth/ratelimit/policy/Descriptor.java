package dev.plinth.ratelimit.policy;

import dev.plinth.shards.Fingerprint;
import java.nio.charset.StandardCharsets;

/** One property of what is to be limited. */
public record Descriptor(String key, String value) {
  private static final int MAX = 256;
  private static final int KEPT_OF_LONG = 239;

  /** A text as it is; the end of a long one is told apart by a digest. */
  public static String shortened(String text) {
    return text.length() <= MAX
        ? text
        : text.substring(0, KEPT_OF_LONG)
            + "~%016x".formatted(Fingerprint.of(text.getBytes(StandardCharsets.UTF_8)));
  }
}
