package dev.plinth.client.limit;

import dev.plinth.ratelimit.v1.Descriptor;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What is limited. Values are often a caller's own, such as headers, and of any length: one that is
 * too long for the service is replaced by its beginning and a digest of the whole. Different values
 * stay different, so each has its own budget.
 */
record LimiterKey(String domain, Map<String, String> properties) {
  private static final int MAX_VALUE = 256;
  private static final int DIGEST = 1 + 64; // a mark and SHA-256 in hex
  private static final char MARK = '~';

  LimiterKey {
    properties = Map.copyOf(isFine(properties) ? properties : shortened(properties));
  }

  /** Nearly all are: keys are made for every call. */
  private static boolean isFine(Map<String, String> properties) {
    for (String value : properties.values()) {
      if (isLong(value)) {
        return false;
      }
    }
    return true;
  }

  private static Map<String, String> shortened(Map<String, String> properties) {
    return properties.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, property -> shortened(property.getValue())));
  }

  private static String shortened(String value) {
    if (!isLong(value)) {
      return value;
    }
    int kept = MAX_VALUE - DIGEST;
    if (Character.isHighSurrogate(value.charAt(kept - 1))) {
      kept--; // half a character cannot be sent
    }
    return value.substring(0, kept) + MARK + digest(value);
  }

  /** Or looks as if it had been shortened, and would share the budget of a long one. */
  private static boolean isLong(String value) {
    return value.length() > MAX_VALUE
        || value.length() >= MAX_VALUE - 1 && value.charAt(value.length() - DIGEST) == MARK;
  }

  private static String digest(String value) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha.digest(value.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  List<Descriptor> descriptors() {
    return properties.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(
            property ->
                Descriptor.newBuilder()
                    .setKey(property.getKey())
                    .setValue(property.getValue())
                    .build())
        .toList();
  }
}
