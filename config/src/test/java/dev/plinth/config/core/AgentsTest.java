package dev.plinth.config.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.core.SessionKey;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What agents are sent, and what is known of them. */
class AgentsTest extends ConfigCoreTest {
  @Test
  void hello_isAnsweredWithWhatTheAgentLacks_thenABookmark() {
    established(0);
    FakeAgent agent = connect(new FakeAgent("a").following(LIMITS, "unknown"));
    assertEquals(1, agent.received.size());
    assertEquals(List.of("unknown"), agent.unassigned);
    assertEquals(1, agent.bookmarks);
    assertFalse(agent.received.get(0).configs().get(0).held());
    apply(agent);
    disconnect(agent);
    connect(agent);
    assertEquals(1, agent.received.size());
    assertEquals(2, agent.bookmarks);
  }

  @Test
  void staleLocalConfig_isNoticed_asBookmarksComeOnlyFromAnOwnerThatIsSure() {
    established(0);
    FakeAgent agent = connect("a");
    clock.advance(Agents.BOOKMARK_INTERVAL.multipliedBy(3));
    assertEquals(4, agent.bookmarks);
    FakeAgent other = new FakeAgent("b");
    configs.agents().connect(SPACE, other.hello(), other.new Link(), new NoAuthority(tx.next()));
    assertEquals(0, other.bookmarks);
  }

  /** A transaction of a shard that another node may own by now. */
  private record NoAuthority(Tx tx) implements Tx {
    @Override
    public boolean hasAuthority() {
      return false;
    }

    @Override
    public long nanos() {
      return tx.nanos();
    }

    @Override
    public void put(String key, byte[] value) {
      tx.put(key, value);
    }

    @Override
    public void delete(String key) {
      tx.delete(key);
    }

    @Override
    public void append(dev.plinth.shards.CommitLog log, byte[] entry) {
      tx.append(log, entry);
    }

    @Override
    public Timer tellAt(long nanos, TimerTask task) {
      return tx.tellAt(nanos, task);
    }

    @Override
    public int writes() {
      return tx.writes();
    }

    @Override
    public void afterCommit(Runnable task) {
      tx.afterCommit(task);
    }

    @Override
    public void emit(dev.plinth.shards.Event event) {
      tx.emit(event);
    }

    @Override
    public long token() {
      return tx.token();
    }

    @Override
    public long tokenLimit() {
      return tx.tokenLimit();
    }

    @Override
    public Timer at(long nanos, TimerTask task) {
      return tx.at(nanos, task);
    }
  }

  @Test
  void outOfOrderSnapshotApply_cannotHappen_asALowerGenerationIsNeverSent() {
    established(1);
    FakeAgent agent = agents.get("agent-0");
    put(LIMITS, 1, "two");
    start(LIMITS, 2, RolloutStage.atOnce());
    applyAll();
    start(LIMITS, 1, RolloutStage.atOnce());
    applyAll();
    List<Long> generations =
        agent.received.stream().map(each -> each.order().generation()).toList();
    assertEquals(List.of(1L, 2L, 3L), generations);
    List<Long> revisions =
        agent.received.stream().map(each -> each.configs().get(0).revision().number()).toList();
    assertEquals(List.of(1L, 2L, 1L), revisions);
  }

  @Test
  void agentAheadOfTheStore_isSentNothing_andCounted() {
    established(0);
    FakeAgent agent = new FakeAgent("a");
    agent.runs.put(LIMITS, new ReleaseOrder(1, 9));
    connect(agent);
    assertEquals(List.of(), agent.received);
    assertEquals(1, events.ahead);
    assertTrue(
        configs.queries().explain(GROUP, "a").why().contains("never given out"),
        configs.queries().explain(GROUP, "a").why());
  }

  @Test
  void agentOfAnEarlierEpoch_isSentWhatIsThere_whateverItsGeneration() {
    established(0);
    FakeAgent agent = new FakeAgent("a");
    agent.runs.put(LIMITS, new ReleaseOrder(0, 9));
    connect(agent);
    assertEquals(new ReleaseOrder(1, 1), agent.received.get(0).order());
  }

  @Test
  void oldRevisionStillActive_isListed() {
    established(3);
    put(LIMITS, 1, "two");
    start(LIMITS, 2, RolloutStage.atOnce());
    apply(agents.get("agent-0"));
    assertEquals(List.of("agent-1", "agent-2"), below(2));
    apply(agents.get("agent-1"));
    disconnect(agents.get("agent-2"));
    assertEquals(List.of("agent-2"), below(2));
    clock.advance(Agents.REMEMBERED.plusSeconds(1));
    assertEquals(List.of(), below(2));
  }

  private List<String> below(long generation) {
    return configs
        .queries()
        .list(
            new AgentPage.Request(
                GROUP, Optional.empty(), Optional.of(generation), List.of(), "", 10))
        .agents()
        .stream()
        .map(view -> view.identity().name())
        .toList();
  }

  @Test
  void newStream_takesThePlaceOfTheFormer_whichCountsNoMore() {
    established(0);
    FakeAgent agent = connect("a");
    FakeAgent.Link former = agent.link;
    connect(agent);
    assertTrue(agent.replaced);
    assertEquals(1, events.replaced);
    List<AgentAck> acks = agent.apply();
    agent.runs.clear();
    acks.forEach(ack -> configs.agents().ack(SPACE, "a", former, ack, tx.next()));
    assertEquals(AgentProgress.SENT, progress("a"));
    configs.agents().disconnect(SPACE, "a", former, tx.next());
    assertEquals(AgentProgress.SENT, progress("a"));
    acks.forEach(ack -> configs.agents().ack(SPACE, "a", agent.link, ack, tx.next()));
    assertEquals(AgentProgress.APPLIED, progress("a"));
  }

  private AgentProgress progress(String agent) {
    return configs.queries().explain(GROUP, agent).agent().progress();
  }

  @Test
  void ackOfWhatWasOvertaken_doesNotCount() {
    established(0);
    FakeAgent agent = connect("a");
    List<AgentAck> late = agent.apply();
    put(LIMITS, 1, "two");
    start(LIMITS, 2, RolloutStage.atOnce());
    late.forEach(ack -> configs.agents().ack(SPACE, "a", agent.link, ack, tx.next()));
    assertEquals(AgentProgress.SENT, progress("a"));
  }

  @Test
  void atomicGroup_comesWhole_alsoWhereOneConfigChanged() {
    put("left", "pair", 0, "l1");
    put("right", "pair", 0, "r1");
    FakeAgent both = connect(new FakeAgent("both").following("left", "right"));
    FakeAgent one = connect(new FakeAgent("one").following("left"));
    start(Map.of("left", 1L, "right", 1L), RolloutStage.atOnce(), RolloutGates.DEFAULT);
    assertEquals(1, both.received.size());
    assertEquals(2, both.received.get(0).configs().size());
    assertEquals(1, one.received.get(0).configs().size());
    applyAll();
    put("left", 1, "l2");
    start("left", 2, RolloutStage.atOnce());
    AssignedRelease second = both.received.get(1);
    assertEquals(
        List.of(2L, 1L), second.configs().stream().map(c -> c.revision().number()).toList());
    assertEquals(List.of(false, true), second.configs().stream().map(c -> c.held()).toList());
    applyAll();
  }

  @Test
  void agentThatFollowsOneMoreConfigOfItsGroup_isSentTheSameGenerationAgain() {
    put("left", "pair", 0, "l1");
    put("right", "pair", 0, "r1");
    FakeAgent agent = connect(new FakeAgent("a").following("left"));
    start(Map.of("left", 1L, "right", 1L), RolloutStage.atOnce(), RolloutGates.DEFAULT);
    applyAll();
    disconnect(agent);
    connect(agent.following("left", "right"));
    assertEquals(2, agent.received.size());
    assertEquals(1, agent.received.get(1).order().generation());
    assertEquals(
        List.of(true, false), agent.received.get(1).configs().stream().map(c -> c.held()).toList());
    applyAll();
  }

  @Test
  void configThatIsMadeLater_isFoundByAgentsThatFollowIt() {
    FakeAgent agent = connect("a");
    assertEquals(List.of(LIMITS), agent.unassigned);
    put(LIMITS, 0, "one");
    start(LIMITS, 1, RolloutStage.atOnce());
    assertEquals(1, agent.received.size());
    applyAll();
    assertEquals(RolloutPhase.DONE, phase());
  }

  @Test
  void session_thatIsNotOpen_isRefused() {
    Configs strict =
        new Configs(
            new ConfigTable(clock, events, new SchemaIndex(), 1),
            session -> session.incarnation() == 7);
    FakeAgent agent = new FakeAgent("a");
    agent.session = Optional.of(new SessionKey(SPACE, "s-1", 6));
    refused(
        ErrorReason.ERROR_REASON_SESSION_UNKNOWN,
        () -> strict.agents().connect(SPACE, agent.hello(), agent.new Link(), tx.next()));
    assertEquals(0, events.agents);
    agent.session = Optional.of(new SessionKey(SPACE, "s-1", 7));
    strict.agents().connect(SPACE, agent.hello(), agent.new Link(), tx.next());
    strict.close();
  }

  @Test
  void agents_areBound() {
    AgentHello many =
        new AgentHello(
            new AgentIdentity("x", "x", Map.of()), Optional.empty(), Set.of("a", "b"), Map.of());
    ConfigNamespace space = new ConfigNamespace(SPACE);
    space.subscriptions = ConfigNamespace.MAX_SUBSCRIPTIONS - 1;
    refused(
        ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
        () -> space.admitAgent(true, many.configs().size(), 0));
    space.admitAgent(true, many.configs().size(), 1);
    for (int i = 0; i < ConfigNamespace.MAX_AGENTS; i++) {
      space.agents.put("a" + i, new Agent(space, many));
    }
    refused(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, () -> space.admitAgent(true, 0, 0));
    space.admitAgent(false, 0, 0);
  }

  @Test
  void namespaceWithoutConfigsAndAgents_isForgotten() {
    FakeAgent agent = connect("a");
    assertEquals(1, events.agents);
    disconnect(agent);
    clock.advance(Agents.REMEMBERED.plusSeconds(1));
    assertEquals(0, events.agents);
  }

  @Test
  void manyAgents_areSentTheNewsInSteps() {
    established(600);
    put(LIMITS, 1, "two");
    int timers = tx.timers();
    start(LIMITS, 2, RolloutStage.atOnce());
    assertEquals(600, received(2).size());
    assertTrue(tx.timers() - timers >= 3);
    applyAll();
    clock.advance(Duration.ofSeconds(1));
    assertEquals(RolloutPhase.DONE, phase());
  }

  @Test
  void fetch_showsWhatAnAgentWouldGet() {
    established(0);
    put(LIMITS, 1, "two");
    start(LIMITS, 2, HALVES);
    int two = 0;
    for (int i = 0; i < 100; i++) {
      AgentIdentity identity = new AgentIdentity("x-" + i, "x-" + i, Map.of());
      two += (int) configs.queries().fetch(NAME, identity).get().order().generation() - 1;
    }
    assertTrue(two > 25 && two < 75, two + " of 100");
    AgentIdentity nobody = new AgentIdentity("", "", Map.of());
    assertEquals(1, configs.queries().fetch(NAME, nobody).get().order().generation());
    assertEquals(0, events.agents);
    refused(
        ErrorReason.ERROR_REASON_CONFIG_UNKNOWN,
        () -> configs.queries().fetch(new ConfigName(SPACE, "none"), nobody));
  }
}
