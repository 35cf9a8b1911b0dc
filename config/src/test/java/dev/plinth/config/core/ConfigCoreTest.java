package dev.plinth.config.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.ManualTx;
import dev.plinth.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;

/** A shard's configs on a clock that the test moves, with commits that take effect at once. */
abstract class ConfigCoreTest {
  static final String SPACE = "default";
  static final String LIMITS = "limits";
  static final ConfigName NAME = new ConfigName(SPACE, LIMITS);
  static final GroupName GROUP = new GroupName(SPACE, LIMITS);
  static final Duration ACK_TIMEOUT = Duration.ofSeconds(30);
  static final RolloutReason OLGA = new RolloutReason("", "olga");
  static final List<RolloutStage> HALVES =
      List.of(
          RolloutStage.percent(50, Duration.ofSeconds(60)),
          RolloutStage.percent(100, Duration.ZERO));

  final ManualClock clock = new ManualClock();
  final ManualTx tx;
  final CountedConfigEvents events = new CountedConfigEvents();
  final Set<dev.plinth.registry.core.SessionKey> closed = new java.util.HashSet<>();
  final ConfigApp app = new ConfigApp(clock, events, Optional.empty());
  final Map<String, FakeAgent> agents = new TreeMap<>();
  Configs configs;

  ConfigCoreTest() {
    this(false);
  }

  /**
   * @param held commits take effect when the test says
   */
  ConfigCoreTest(boolean held) {
    tx = held ? ManualTx.held(clock) : ManualTx.direct(clock);
    configs = app.open(tx.stored(), tx);
  }

  /** What is in memory is what a new owner would load. */
  @AfterEach
  final void checkRows() {
    tx.commit();
    List<String> before = durable();
    takeOver();
    assertEquals(before, durable());
    app.close(configs);
    assertEquals(List.of(0, 0, 0, 0), events.gauges());
  }

  /** All that a new owner has to know, as text. */
  private List<String> durable() {
    List<String> all = new java.util.ArrayList<>();
    for (ConfigView view : configs.documents().list(SPACE, "", 1000)) {
      all.add(view.toString());
      configs
          .documents()
          .revisions(view.name(), Long.MAX_VALUE, 1000)
          .forEach(each -> all.add(each.revision().number() + each.revision().content().hash()));
    }
    for (RolloutView view : configs.rollouts().snapshot(SPACE, "", clock.nanos().getAsLong())) {
      RolloutView full =
          configs.rollouts().get(view.group(), view.target().generation(), tx.next());
      RolloutView.Progress progress = full.progress();
      all.add(
          List.of(
                  full.target(),
                  full.base(),
                  full.plan(),
                  progress.phase(),
                  progress.stage(),
                  progress.reason(),
                  progress.version(),
                  progress.started(),
                  progress.since(),
                  full.history())
              .toString());
    }
    return all;
  }

  /** As the next owner of the shard does it, after a crash: agents have lost their streams. */
  final void takeOver() {
    tx.crash();
    app.close(configs);
    assertEquals(List.of(0, 0, 0, 0), events.gauges());
    agents.values().forEach(agent -> agent.link = null);
    configs = app.open(tx.stored(), tx.next());
  }

  final RevisionView put(String config, long expected, String content) {
    return put(config, "", expected, content);
  }

  final RevisionView put(String config, String group, long expected, String content) {
    return configs.documents().put(spec(config, group, expected, content), tx.next());
  }

  static PutSpec spec(String config, String group, long expected, String content) {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    RevisionContent of =
        new RevisionContent(
            "text/plain", bytes, RevisionContent.sha256(bytes), new byte[0], "", Optional.empty());
    return new PutSpec(
        new ConfigName(SPACE, config), expected, of, group, Optional.empty(), 0, "olga", "");
  }

  final FakeAgent connect(String name) {
    return connect(agents.computeIfAbsent(name, FakeAgent::new));
  }

  final FakeAgent connect(FakeAgent agent) {
    agents.put(agent.name, agent);
    FakeAgent.Link link = agent.new Link();
    configs.agents().connect(SPACE, agent.hello(), link, tx.next());
    agent.link = link;
    clock.runDue();
    return agent;
  }

  final void disconnect(FakeAgent agent) {
    if (agent.link != null) {
      configs.agents().disconnect(SPACE, agent.name, agent.link, tx.next());
      agent.link = null;
      clock.runDue();
    }
  }

  final void deliver(FakeAgent agent, List<AgentAck> acks) {
    acks.forEach(ack -> configs.agents().ack(SPACE, agent.name, agent.link, ack, tx.next()));
    clock.runDue();
  }

  final void apply(FakeAgent agent) {
    deliver(agent, agent.apply());
  }

  final void reject(FakeAgent agent, String error) {
    deliver(agent, agent.reject(error));
  }

  /** All that are connected apply what they were sent; and the shard takes note. */
  final void applyAll() {
    agents.values().stream().filter(agent -> agent.link != null).forEach(this::apply);
    clock.advance(Duration.ofMillis(50));
  }

  final RolloutView start(String config, long revision, List<RolloutStage> stages) {
    return start(config, revision, stages, RolloutGates.DEFAULT);
  }

  final RolloutView start(
      String config, long revision, List<RolloutStage> stages, RolloutGates gates) {
    return start(Map.of(config, revision), stages, gates);
  }

  final RolloutView start(
      Map<String, Long> targets, List<RolloutStage> stages, RolloutGates gates) {
    RolloutView started =
        configs
            .rollouts()
            .start(
                new RolloutSpec(SPACE, targets, Optional.empty(), stages, gates, OLGA), tx.next());
    clock.runDue();
    return started;
  }

  final RolloutAction action(long generation) {
    return new RolloutAction(GROUP, generation, Optional.empty(), OLGA);
  }

  final RolloutView rollout() {
    return configs.rollouts().get(GROUP, 0, tx.next());
  }

  final RolloutPhase phase() {
    return rollout().progress().phase();
  }

  /** Revision 1 of the config, which all agents have. */
  final void established(int count) {
    put(LIMITS, 0, "one");
    start(LIMITS, 1, RolloutStage.atOnce());
    for (int i = 0; i < count; i++) {
      connect("agent-" + i);
    }
    applyAll();
    assertEquals(RolloutPhase.DONE, phase());
  }

  final Set<String> running(long generation) {
    Set<String> names = new TreeSet<>();
    for (FakeAgent agent : agents.values()) {
      if (agent.generation(LIMITS) == generation) {
        names.add(agent.name);
      }
    }
    return names;
  }

  final Set<String> received(long generation) {
    Set<String> names = new TreeSet<>();
    for (FakeAgent agent : agents.values()) {
      if (agent.received.stream().anyMatch(each -> each.order().generation() == generation)) {
        names.add(agent.name);
      }
    }
    return names;
  }

  static Failure refused(ErrorReason reason, Runnable call) {
    Failure failure = assertThrows(Failure.class, call::run);
    assertEquals(reason, failure.reason(), failure.getMessage());
    return failure;
  }
}
