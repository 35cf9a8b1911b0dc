package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.partition.PartitionGroupName;
import dev.plinth.registry.partition.PartitionView;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.ManualTx;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;

/** A shard's members on a clock that the test moves, with commits that take effect at once. */
abstract class CoreTest {
  static final String SPACE = "default";
  static final Duration TTL = Duration.ofSeconds(15);
  static final MemberName WEB_1 = web(1);

  final ManualClock clock = new ManualClock();
  final ManualTx tx;
  final CountedEvents events = new CountedEvents();
  final CountedPartitionEvents partitionEvents = new CountedPartitionEvents();
  final RegistryApp app = new RegistryApp(clock, events, partitionEvents);
  Members members;

  CoreTest() {
    this(false);
  }

  /**
   * @param held commits take effect when the test says
   */
  CoreTest(boolean held) {
    tx = held ? ManualTx.held(clock) : ManualTx.direct(clock);
    members = app.open(tx.stored(), tx);
  }

  /** What is in memory is what a new owner would load. */
  @AfterEach
  final void checkRows() {
    tx.commit();
    List<MemberView> before = all();
    List<PartitionView> partitionsBefore = partitions();
    List<Integer> gaugesBefore = partitionEvents.durableGauges();
    int sessions = events.sessions;
    takeOver();
    assertEquals(partitionsBefore, partitions());
    assertEquals(gaugesBefore, partitionEvents.durableGauges());
    assertEquals(
        before.stream().map(CoreTest::durable).toList(),
        all().stream().map(CoreTest::durable).toList());
    assertEquals(sessions, events.sessions);
    assertEquals(before.size(), events.members);
    app.close(members);
    assertEquals(List.of(0, 0, 0), List.of(events.members, events.sessions, events.held));
  }

  /** All but what a new owner begins anew. */
  private static MemberView durable(MemberView view) {
    return new MemberView(
        view.name(),
        view.incarnation(),
        view.sessionId(),
        view.attributes(),
        new MemberView.Status(view.state(), view.status().since(), false),
        view.version(),
        view.override());
  }

  /** Of the groups that tests use, without what a new owner begins anew. */
  final List<PartitionView> partitions() {
    return Stream.of("web", "db")
        .flatMap(group -> partitions(group).stream())
        .map(CoreTest::durable)
        .toList();
  }

  final List<PartitionView> partitions(String group) {
    return members.partitions().snapshot(new PartitionGroupName(SPACE, group), "");
  }

  static PartitionView durable(PartitionView view) {
    return new PartitionView(
        view.partition(),
        view.state(),
        view.owner(),
        view.sessionId(),
        view.token(),
        view.since(),
        false);
  }

  static MemberName web(int number) {
    return new MemberName(SPACE, "web", "web-" + number);
  }

  static MemberAttributes attributes(Map<String, String> labels) {
    return new MemberAttributes(labels, List.of(new MemberEndpoint("grpc", "10.0.0.7:8080")), 100);
  }

  /** As the next owner of the shard does it, after a crash. */
  final void takeOver() {
    tx.crash();
    app.close(members);
    assertEquals(List.of(0, 0, 0), List.of(events.members, events.sessions, events.held));
    partitionEvents.assertNoneLeft();
    members = app.open(tx.stored(), tx.next());
  }

  final SessionKey open(String client) {
    OpenedSession opened = members.sessions().open(SPACE, client, TTL, tx.next());
    return new SessionKey(SPACE, opened.id(), opened.incarnation());
  }

  final MemberView register(MemberName name, SessionKey session) {
    return register(name, session, Map.of());
  }

  final MemberView register(MemberName name, SessionKey session, Map<String, String> labels) {
    RegisterResult result = members.register(name, session, attributes(labels), false, tx.next());
    return assertInstanceOf(RegisterResult.Registered.class, result).member();
  }

  /** And what follows from it at once. */
  final BeatResult beat(SessionKey session) {
    BeatResult told = members.sessions().beat(session, null, tx.next());
    clock.runDue();
    return told;
  }

  /** Members that left, or null if that is not done yet. */
  final Integer close(SessionKey session) {
    AtomicReference<Integer> left = new AtomicReference<>();
    members.sessions().close(session, (count, last) -> left.set(count), tx.next());
    return left.get();
  }

  final DeregisterResult deregister(MemberName name, SessionKey session) {
    return members.deregister(
        name, session.id(), Optional.empty(), MemberEnd.deregistered(), tx.next());
  }

  final Integer release(String group) {
    AtomicReference<Integer> released = new AtomicReference<>();
    members.releaseHold(SPACE, group, (count, last) -> released.set(count), tx.next());
    return released.get();
  }

  final MemberState state(MemberName name) {
    return members.get(name).state();
  }

  final List<MemberView> all() {
    return members.snapshot(SPACE, "", List.of());
  }

  final long count(MemberState state) {
    return all().stream().filter(member -> member.state() == state).count();
  }

  /** What watchers were told. */
  final List<MemberChange> changes() {
    return tx.events().stream()
        .filter(event -> event.body() instanceof MemberChange)
        .map(event -> (MemberChange) event.body())
        .toList();
  }

  final List<MemberChange.Type> changeTypes() {
    return changes().stream().map(MemberChange::type).toList();
  }

  static Failure refused(ErrorReason reason, Runnable call) {
    Failure failure = assertThrows(Failure.class, call::run);
    assertEquals(reason, failure.reason(), failure.getMessage());
    return failure;
  }
}
