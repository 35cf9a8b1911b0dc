package dev.plinth.config.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.registry.core.SessionKey;
import dev.plinth.shards.Tx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * An agent as the proto describes it: it applies what comes after what it has, and nothing else.
 * What it is told is checked as it comes.
 */
final class FakeAgent {
  final String name;
  Map<String, String> labels = Map.of();
  Optional<SessionKey> session = Optional.empty();
  Set<String> configs = Set.of("limits");

  /** What it runs, by group, with the content of each config. */
  final Map<String, ReleaseOrder> runs = new HashMap<>();

  final Map<String, Map<String, String>> content = new HashMap<>();
  final Map<String, ReleaseOrder> rejected = new HashMap<>();

  /** Every release that it was sent, on all streams. */
  final List<AssignedRelease> received = new ArrayList<>();

  final List<String> unassigned = new ArrayList<>();
  int bookmarks;
  boolean replaced;
  Link link;

  FakeAgent(String name) {
    this.name = name;
  }

  FakeAgent following(String... names) {
    configs = Set.of(names);
    return this;
  }

  FakeAgent labelled(String key, String value) {
    labels = Map.of(key, value);
    return this;
  }

  /** The stream that it has now. */
  final class Link implements AgentLink {
    final List<AssignedRelease> unanswered = new ArrayList<>();
    private ReleaseOrder last = ReleaseOrder.NONE;

    @Override
    public void assign(AssignedRelease release, Tx tx) {
      tx.afterCommit(
          () -> {
            assertTrue(release.order().isAfter(last) || configs.size() > 1, "order on a stream");
            assertTrue(!release.order().equals(rejected.get(release.group())), "sent again");
            last = release.order();
            received.add(release);
            unanswered.add(release);
          });
    }

    @Override
    public void unassigned(List<String> names, Tx tx) {
      unassigned.addAll(names);
    }

    @Override
    public void bookmark(Tx tx) {
      bookmarks++;
    }

    @Override
    public void replaced(Tx tx) {
      replaced = true;
    }
  }

  AgentHello hello() {
    Map<String, HeldRelease> held = new HashMap<>();
    Set<String> groups = new java.util.TreeSet<>(runs.keySet());
    groups.addAll(rejected.keySet());
    for (String group : groups) {
      Map<String, Set<String>> hashes = new HashMap<>();
      content
          .getOrDefault(group, Map.of())
          .forEach((config, hash) -> hashes.put(config, Set.of(hash)));
      held.put(
          group,
          new HeldRelease(
              runs.getOrDefault(group, ReleaseOrder.NONE),
              rejected.getOrDefault(group, ReleaseOrder.NONE),
              hashes));
    }
    return new AgentHello(new AgentIdentity(name, name, labels), session, configs, held);
  }

  /** Applies what it has received and not answered; the acks are to be delivered. */
  List<AgentAck> apply() {
    List<AgentAck> acks = new ArrayList<>();
    for (AssignedRelease release : take()) {
      ReleaseOrder has = runs.getOrDefault(release.group(), ReleaseOrder.NONE);
      if (release.order().compareTo(has) >= 0) {
        Map<String, String> next = new TreeMap<>();
        for (AssignedRelease.AssignedConfig config : release.configs()) {
          String hash = config.revision().content().hash();
          if (config.held()) {
            assertEquals(content.get(release.group()).get(config.config()), hash, "not held");
          }
          next.put(config.config(), hash);
        }
        runs.put(release.group(), release.order());
        content.put(release.group(), next);
      }
      acks.add(ack(release, AgentAck.AckState.APPLIED, ""));
    }
    return acks;
  }

  List<AgentAck> reject(String error) {
    List<AgentAck> acks = new ArrayList<>();
    for (AssignedRelease release : take()) {
      rejected.put(release.group(), release.order());
      acks.add(ack(release, AgentAck.AckState.REJECTED, error));
    }
    return acks;
  }

  List<AgentAck> stage() {
    return link.unanswered.stream()
        .map(release -> ack(release, AgentAck.AckState.STAGED, ""))
        .toList();
  }

  private List<AssignedRelease> take() {
    List<AssignedRelease> taken = List.copyOf(link.unanswered);
    link.unanswered.clear();
    return taken;
  }

  private static AgentAck ack(AssignedRelease release, AgentAck.AckState state, String error) {
    return new AgentAck(release.group(), release.order(), state, error, "");
  }

  long generation(String group) {
    return runs.getOrDefault(group, ReleaseOrder.NONE).generation();
  }
}
