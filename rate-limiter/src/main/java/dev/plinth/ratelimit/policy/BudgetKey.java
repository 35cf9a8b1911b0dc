package dev.plinth.ratelimit.policy;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * How a budget is named in the store: {@code rule|tenant=acme|user=ann}, with everything but
 * letters, digits and {@code - _ . : / @} percent-encoded, and a {@code ~} in front for a shadow.
 * No two sets of values have the same name.
 */
public final class BudgetKey {
  private static final String PLAIN = "-_.:/@";
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private BudgetKey() {}

  public static String of(String rule, List<Descriptor> values) {
    StringBuilder key = new StringBuilder(rule);
    for (Descriptor value : values) {
      key.append('|');
      encode(value.key(), key);
      key.append('=');
      encode(value.value(), key);
    }
    return key.toString();
  }

  public static String shadow(String key) {
    return "~" + key;
  }

  /**
   * Whether the key is among the permille that a rule is enforced for: by FNV-1a over the UTF-16
   * units of the key, mixed so that keys that differ only at the end spread too, modulo 1000. It
   * depends on nothing else, so a key that is enforced stays so while the share grows, on all
   * nodes.
   */
  public static boolean isEnforced(String key, int permille) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < key.length(); i++) {
      hash = (hash ^ key.charAt(i)) * 0x100000001b3L;
    }
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
    hash ^= hash >>> 33;
    return Long.remainderUnsigned(hash, Rule.Enforcement.ALL) < permille;
  }

  private static void encode(String text, StringBuilder key) {
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      if (c < 128 && (Character.isLetterOrDigit(c) || PLAIN.indexOf(c) >= 0)) {
        key.append(c);
      } else {
        key.append('%').append(HEX[c >> 4]).append(HEX[c & 15]);
      }
    }
  }
}
