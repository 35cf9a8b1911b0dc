package dev.plinth.ratelimit.envoy;

import dev.plinth.shards.Fingerprint;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Names of rules from the paths of descriptors. The same path has the same name with every import,
 * so that its budgets continue; ambiguous names get a digest at the end.
 */
final class RuleNames {
  private static final int MAX = 64;
  private static final int DIGEST = 9;

  private final Set<String> taken = new HashSet<>();

  String of(String path) {
    String name = path.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_-]", "-");
    boolean isUnambiguous = name.length() <= MAX && name.equals(path.replace('.', '-'));
    if (!isUnambiguous || taken.contains(name)) {
      long digest = Fingerprint.of(path.getBytes(StandardCharsets.UTF_8));
      name =
          name.substring(0, Math.min(name.length(), MAX - DIGEST))
              + "-%08x".formatted((int) digest);
    }
    taken.add(name);
    return name;
  }
}
