package dev.plinth.config.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What decides which stages of a rollout an agent belongs to.
 *
 * @param instance stays the same over restarts of the agent
 */
public record AgentIdentity(String name, String instance, Map<String, String> labels) {
  public AgentIdentity {
    labels = Map.copyOf(labels);
  }

  /**
   * The place of an instance among {@link StageTarget#BUCKETS}: the same on every node and after
   * every restart, and another one in each rollout.
   */
  int bucket(ConfigGroup group, long generation) {
    String text = group.path() + "/" + generation + "/" + instance;
    byte[] hash = RevisionContent.sha256(text.getBytes(StandardCharsets.UTF_8));
    return (int) Long.remainderUnsigned(ByteBuffer.wrap(hash).getLong(), StageTarget.BUCKETS);
  }
}
