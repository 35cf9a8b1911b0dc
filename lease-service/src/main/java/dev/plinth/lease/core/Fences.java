package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The highest token seen per resource, for resources that cannot keep it themselves. It never
 * falls.
 */
final class Fences {
  private final Map<String, Long> floors = new HashMap<>();

  void load(String rowKey, byte[] value) {
    String[] words = new String(value, StandardCharsets.UTF_8).split(" ");
    LeaseRows.check(rowKey, words[0]);
    floors.put(rowKey, Long.parseLong(words[1]));
  }

  /** The floor afterwards; a token below it was not accepted. */
  long raise(LeaseName resource, long token, Tx tx) {
    String row = LeaseRows.fenceOf(resource);
    long floor = floors.getOrDefault(row, 0L);
    if (token <= floor) {
      return floor;
    }
    floors.put(row, token);
    tx.put(row, (LeaseRows.VERSION + " " + token).getBytes(StandardCharsets.UTF_8));
    return token;
  }

  /** 0 if none was ever raised. */
  long floor(LeaseName resource) {
    return floors.getOrDefault(LeaseRows.fenceOf(resource), 0L);
  }
}
