package dev.plinth.config.core;

import java.util.Map;
import java.util.Set;

/**
 * What an agent says it has of a group when it connects.
 *
 * @param runs what it runs
 * @param rejected what it rejected last
 * @param content hashes of the content that it holds, by config
 */
public record HeldRelease(
    ReleaseOrder runs, ReleaseOrder rejected, Map<String, Set<String>> content) {
  static final HeldRelease NOTHING =
      new HeldRelease(ReleaseOrder.NONE, ReleaseOrder.NONE, Map.of());
}
