package dev.plinth.config.core;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What an agent has of one group. In memory only: it says so again when it connects. */
final class GroupAgent {
  final Agent agent;
  final ConfigGroup group;

  /** Those of the group that it follows. */
  final Set<String> configs = new TreeSet<>();

  // An agent that answers nothing is not remembered for ever.
  private static final int MAX_UNANSWERED = 16;

  /** Sent on its stream and not answered, oldest first: it may run any of them by now. */
  private final ArrayDeque<AssignedRelease> unanswered = new ArrayDeque<>();

  /** Hashes of content that it has if it runs none of those, by config. */
  private Map<String, Set<String>> held = new HashMap<>();

  ReleaseOrder runs = ReleaseOrder.NONE;
  ReleaseOrder rejected = ReleaseOrder.NONE;
  String error = "";

  /** Sent on its stream last, whatever it made of that. */
  AssignedRelease sent;

  boolean staged;

  /** Sent last on any of its streams. Its time to answer does not begin anew with a stream. */
  ReleaseOrder given = ReleaseOrder.NONE;

  long givenAt;

  private long bucketGeneration;
  private int bucket;

  GroupAgent(Agent agent, ConfigGroup group) {
    this.agent = agent;
    this.group = group;
  }

  ReleaseOrder sentOrder() {
    return sent == null ? ReleaseOrder.NONE : sent.order();
  }

  int bucket(long generation) {
    if (bucketGeneration != generation) {
      bucket = agent.hello.identity().bucket(group, generation);
      bucketGeneration = generation;
    }
    return bucket;
  }

  /** Whether a release says anything to it. */
  boolean concerns(Release release) {
    return runs.generation() > 0
        || configs.stream().anyMatch(config -> release.revisions().containsKey(config));
  }

  /** A stream begins: what it says now counts. */
  void connect(HeldRelease says) {
    runs = says.runs();
    held = new HashMap<>(says.content());
    if (says.rejected().isAfter(rejected)) {
      rejected = says.rejected();
      error = "";
    }
    disconnect();
    bucketGeneration = 0;
  }

  void disconnect() {
    sent = null;
    staged = false;
    unanswered.clear();
  }

  /** Whether it is sure to have a content: not while it may have let go of it for another one. */
  boolean holds(String config, Revision revision) {
    return unanswered.isEmpty()
        && held.getOrDefault(config, Set.of()).contains(revision.content().hash());
  }

  void sent(AssignedRelease release) {
    sent = release;
    staged = false;
    unanswered.add(release);
    if (unanswered.size() > MAX_UNANSWERED) {
      unanswered.poll();
      held = Map.of();
    }
  }

  /**
   * An answer to what was sent on this stream.
   *
   * @return whether there was such a thing, and no answer to it or to something later
   */
  boolean answered(AgentAck ack) {
    AssignedRelease release = null;
    for (AssignedRelease each : unanswered) {
      release = each.order().equals(ack.order()) ? each : release;
    }
    if (release == null) {
      return false;
    }
    if (ack.state() == AgentAck.AckState.STAGED) {
      staged |= release == sent;
      return true;
    }
    while (unanswered.poll() != release) {
      // One before it: the agent went on to this one.
    }
    if (ack.state() == AgentAck.AckState.APPLIED) {
      runs = ack.order();
      held = new HashMap<>();
      for (AssignedRelease.AssignedConfig config : release.configs()) {
        held.put(config.config(), Set.of(config.revision().content().hash()));
      }
    } else {
      rejected = ack.order();
      error = ack.error();
    }
    return true;
  }
}
