package dev.plinth.shards.store.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.server.settings.ByteSize;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.testkit.ClockedMachine;
import dev.plinth.testkit.ManualClock;
import io.grpc.Status;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CommitSenderTest {
  private static final Status NO_SPACE =
      Status.RESOURCE_EXHAUSTED.withDescription("etcdserver: mvcc: database space exceeded");

  private final ManualClock clock = new ManualClock();
  private final FakeShard etcd = new FakeShard();
  private final SpaceAlarm space = new SpaceAlarm();
  private final NodeSession nodeSession =
      new NodeSession(
          1, Duration.ofSeconds(2), new ClockReading(0, clock.millis()), Duration.ofSeconds(10));
  private final CommitSender commitSender =
      new CommitSender(etcd, nodeSession, setup(clock), space, 0);
  private long handedIn;

  static EtcdStoreContext setup(ManualClock clock) {
    EtcdSettings settings =
        new EtcdSettings(
            "/plinth/",
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            Duration.ofSeconds(1),
            3,
            Duration.ZERO,
            ByteSize.parse("2GiB"));
    return new EtcdStoreContext(
        settings,
        ClockedMachine.of(clock),
        clock.scheduler(),
        new StoreMetrics(new SimpleMeterRegistry()));
  }

  @Test
  void aFewAreUnderWayAtOnce_andTheNextFollowsWhenOneIsDone() {
    commit(5);
    assertEquals(List.of(1L, 2L, 3L), etcd.sent());
    etcd.requests.get(0).arrive().answer();
    assertEquals(List.of(1L, 2L, 3L, 4L), etcd.sent());
  }

  @Test
  void overtaker_isSentAgain_onceItsPredecessorIsDone() {
    List<CompletableFuture<CommitResult>> both = commit(2);
    etcd.requests.get(1).arrive().answer();
    assertEquals(List.of(1L, 2L), etcd.sent());
    etcd.requests.get(0).arrive().answer();
    assertEquals(List.of(1L, 2L, 2L), etcd.sent());
    assertEquals(CommitResult.DONE, both.get(0).join());
    assertFalse(both.get(1).isDone());
    etcd.last().arrive().answer();
    assertEquals(CommitResult.DONE, both.get(1).join());
    assertEquals(List.of(1L, 2L), etcd.applied);
  }

  @Test
  void answerToALaterCommit_tellsOfThoseBeforeIt() {
    List<CompletableFuture<CommitResult>> both = commit(2);
    etcd.requests.get(0).arrive();
    etcd.requests.get(1).arrive().answer();
    assertEquals(CommitResult.DONE, both.get(0).join());
    assertEquals(CommitResult.DONE, both.get(1).join());
    etcd.requests.get(0).timeOut();
    assertEquals(2, etcd.requests.size());
  }

  @Test
  void lostAnswer_isLearnedByAskingAgain() {
    CompletableFuture<CommitResult> only = commit(1).get(0);
    etcd.last().arrive().timeOut();
    assertEquals(List.of(1L, 1L), etcd.sent());
    etcd.last().arrive().answer();
    assertEquals(CommitResult.DONE, only.join());
    assertEquals(List.of(1L), etcd.applied);
  }

  @Test
  void whileNothingAnswers_triesGoOnWithPauses_untilAuthorityHasPassed() {
    List<CompletableFuture<CommitResult>> all = commit(5);
    while (!all.get(0).isDone()) {
      assertTrue(
          nodeSession.hasAuthority(clock.nanos().getAsLong() - Duration.ofSeconds(1).toNanos()));
      etcd.unanswered().forEach(FakeShard.Request::timeOut);
      clock.advance(Duration.ofMillis(250));
    }
    assertFalse(nodeSession.hasAuthority(clock.nanos().getAsLong()));
    assertTrue(etcd.requests.size() < 60, "pauses between tries: " + etcd.requests.size());
    assertTrue(unavailable(all.get(0)).mayHaveApplied());
    assertTrue(unavailable(all.get(2)).mayHaveApplied());
    assertFalse(unavailable(all.get(4)).mayHaveApplied(), "never sent");
    assertFalse(unavailable(commit(1).get(0)).mayHaveApplied(), "not sent after that");
  }

  @Test
  void deposed_takesAllLaterCommitsAlong() {
    List<CompletableFuture<CommitResult>> all = commit(5);
    etcd.requests.get(0).arrive().answer();
    etcd.ours = false;
    etcd.requests.get(2).arrive().answer();
    assertFalse(all.get(1).isDone(), "its own answer may still be that it came in time");
    etcd.requests.get(1).arrive().answer();
    assertEquals(CommitResult.DONE, all.get(0).join());
    all.subList(1, 5).forEach(commit -> assertEquals(CommitResult.DEPOSED, commit.join()));
    assertEquals(CommitResult.DEPOSED, commit(1).get(0).join());
    assertEquals(List.of(1L), etcd.applied);
  }

  @Test
  void deposedAfterADoubtfulTry_isUnknown_onlyIfItMayHaveBeenApplied() {
    CompletableFuture<CommitResult> applied = commit(1).get(0);
    etcd.last().arrive().timeOut();
    etcd.ours = false;
    etcd.last().arrive().answer();
    assertTrue(unavailable(applied).mayHaveApplied());
  }

  @Test
  void deposedAfterALostRequest_isDeposed() {
    CompletableFuture<CommitResult> lost = commit(1).get(0);
    etcd.last().timeOut();
    etcd.ours = false;
    etcd.last().arrive().answer();
    assertEquals(CommitResult.DEPOSED, lost.join());
  }

  @Test
  void noSpace_isNotApplied_andEndsTheClaim() {
    List<CompletableFuture<CommitResult>> both = commit(2);
    etcd.requests.get(0).fail(NO_SPACE);
    assertFalse(unavailable(both.get(0)).mayHaveApplied());
    assertFalse(unavailable(both.get(1)).mayHaveApplied());
    assertTrue(space.unavailableReason().isPresent());
  }

  /** etcd applies the transaction that crosses the quota, and answers that there is no space. */
  @Test
  void noSpace_saidOfACommitThatWasApplied_isDone() {
    CompletableFuture<CommitResult> crossing = commit(1).get(0);
    etcd.last().arrive().fail(NO_SPACE);
    assertEquals(CommitResult.DONE, crossing.join());
    assertTrue(space.unavailableReason().isPresent());
    commit(1);
    etcd.last().arrive().answer();
    assertTrue(space.unavailableReason().isEmpty());
  }

  @Test
  void revisionRowSetBackOrForward_endsTheClaim_insteadOfTryingForEver() {
    CompletableFuture<CommitResult> one = commit(1).get(0);
    etcd.last().arrive().answer();
    assertEquals(CommitResult.DONE, one.join());
    etcd.revision = 0;
    CompletableFuture<CommitResult> two = commit(1).get(0);
    etcd.last().arrive().answer();
    assertTrue(unavailable(two).getMessage().contains("last commit is 0"));
  }

  @Test
  void loss_endsWhatWasNotSent_andWaitsForWhatWas() {
    List<CompletableFuture<CommitResult>> all = commit(4);
    commitSender.lose();
    assertFalse(all.get(3).isDone());
    etcd.requests.forEach(request -> request.arrive().answer());
    all.subList(0, 3).forEach(commit -> assertEquals(CommitResult.DONE, commit.join()));
    assertEquals(CommitResult.DEPOSED, all.get(3).join());
  }

  @Test
  void quiet_waitsForAllOutcomes() {
    assertTrue(commitSender.quiet().isDone());
    commit(1);
    CompletableFuture<Void> quiet = commitSender.quiet();
    assertFalse(quiet.isDone());
    etcd.last().arrive().answer();
    assertTrue(quiet.isDone());
  }

  @Test
  void standing_waitsForEveryTry_andTellsTheLastCommitApplied() {
    commit(4);
    etcd.requests.get(0).arrive().answer();
    etcd.requests.get(1).fail(NO_SPACE);
    CompletableFuture<OptionalLong> standing = commitSender.standing();
    assertFalse(standing.isDone(), "the next may still be on its way");
    etcd.requests.get(2).fail(NO_SPACE);
    etcd.requests.get(3).arrive().answer();
    assertEquals(OptionalLong.of(1), standing.getNow(null));
  }

  @Test
  void standing_isNone_whereATryGotNoAnswer_orTheShardIsLost() {
    commit(2);
    etcd.requests.get(0).fail(NO_SPACE);
    etcd.requests.get(1).timeOut();
    assertEquals(OptionalLong.empty(), commitSender.standing().getNow(null));
    CommitSenderTest deposed = new CommitSenderTest();
    deposed.commit(1);
    deposed.etcd.ours = false;
    deposed.etcd.last().arrive().answer();
    assertEquals(OptionalLong.empty(), deposed.commitSender.standing().getNow(null));
  }

  /** A second owner under the same epoch must not be disturbed by what the first has sent. */
  @Test
  void standing_isToldOnly_whereNothingOnItsWayCanBeAppliedAnyMore() {
    int told = 0;
    for (long seed = 1; seed <= 2_000; seed++) {
      told += new CommitSenderTest().goOnRandomly(seed) ? 1 : 0;
    }
    assertTrue(told > 200 && told < 1_800, told + " times");
  }

  private boolean goOnRandomly(long seed) {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    int fullFrom = random.nextInt(30);
    int steps = fullFrom + random.nextInt(1, 8);
    for (int step = 0; step < steps; step++) {
      commit(random.nextInt(2));
      List<FakeShard.Request> open = etcd.unanswered();
      if (!open.isEmpty()) {
        FakeShard.Request request = open.get(random.nextInt(open.size()));
        if (random.nextInt(8) == 0) {
          request.timeOut();
        } else if (step >= fullFrom) {
          request.fail(NO_SPACE);
        } else {
          request.arrive().answer();
        }
      }
      clock.advance(Duration.ofMillis(random.nextInt(60)));
    }
    OptionalLong standing = commitSender.standing().getNow(OptionalLong.empty());
    if (standing.isPresent()) {
      List<FakeShard.Request> before = List.copyOf(etcd.requests);
      CommitSender next =
          new CommitSender(etcd, nodeSession, setup(clock), space, standing.getAsLong());
      for (long number = standing.getAsLong() + 1; number < standing.getAsLong() + 6; number++) {
        before.stream()
            .filter(late -> late.isOnItsWay() && random.nextBoolean())
            .forEach(FakeShard.Request::arrive);
        CompletableFuture<CommitResult> commit = next.add(number, List.of());
        etcd.last().arrive().answer();
        assertTrue(commit.isDone(), "seed " + seed);
        assertEquals(CommitResult.DONE, commit.join(), "seed " + seed);
      }
      assertEquals(
          standing.getAsLong(),
          before.stream().filter(FakeShard.Request::hadEffect).count(),
          "seed " + seed);
    }
    return standing.isPresent();
  }

  /** Whatever the network does: in order, once each, and every answer true. */
  @Test
  void anyNetwork_appliesInOrderOnce_andTellsTheTruth() {
    Set<String> seen = new TreeSet<>();
    for (long seed = 1; seed <= 2_000; seed++) {
      new CommitSenderTest().playRandomly(seed).forEach(commit -> seen.add(kind(commit)));
    }
    assertEquals(Set.of("DONE", "DEPOSED", "unknown", "not applied"), seen);
  }

  private static String kind(CompletableFuture<CommitResult> commit) {
    if (!commit.isCompletedExceptionally()) {
      return commit.join().name();
    }
    return unavailable(commit).mayHaveApplied() ? "unknown" : "not applied";
  }

  private List<CompletableFuture<CommitResult>> playRandomly(long seed) {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    List<CompletableFuture<CommitResult>> all = new ArrayList<>();
    int deposedAt = random.nextInt(400);
    for (int step = 0; step < 200; step++) {
      if (step == deposedAt) {
        etcd.ours = false;
        etcd.revision += random.nextInt(3); // what the next owner commits
      }
      if (random.nextInt(4) == 0) {
        all.addAll(commit(1));
      }
      move(random);
      clock.advance(Duration.ofMillis(random.nextInt(60)));
    }
    for (int step = 0; step < 2_000 && !all.stream().allMatch(CompletableFuture::isDone); step++) {
      etcd.unanswered().forEach(request -> request.arrive().answer());
      clock.advance(Duration.ofMillis(100));
    }
    check(seed, all);
    return all;
  }

  private void move(RandomGenerator random) {
    List<FakeShard.Request> open = etcd.unanswered();
    if (open.isEmpty()) {
      return;
    }
    FakeShard.Request request = open.get(random.nextInt(open.size()));
    switch (random.nextInt(8)) {
      case 0 -> request.timeOut();
      case 1 -> {
        request.timeOut();
        request.arrive(); // after the client gave up on it
      }
      case 2 -> request.arrive();
      default -> request.arrive().answer();
    }
  }

  private void check(long seed, List<CompletableFuture<CommitResult>> all) {
    String run = "seed " + seed;
    assertEquals(
        LongStream.rangeClosed(1, etcd.applied.size()).boxed().toList(), etcd.applied, run);
    boolean ended = false;
    for (int i = 0; i < all.size(); i++) {
      assertTrue(all.get(i).isDone(), run);
      boolean applied = etcd.applied.contains(i + 1L);
      if (all.get(i).isCompletedExceptionally()) {
        assertTrue(!applied || unavailable(all.get(i)).mayHaveApplied(), run);
        ended = true;
      } else {
        assertEquals(applied, all.get(i).join() == CommitResult.DONE, run);
        ended |= !applied;
      }
      assertFalse(ended && isDone(all.get(i)), run + ": done after the claim had ended");
    }
  }

  private static boolean isDone(CompletableFuture<CommitResult> commit) {
    return !commit.isCompletedExceptionally() && commit.join() == CommitResult.DONE;
  }

  private List<CompletableFuture<CommitResult>> commit(int count) {
    List<CompletableFuture<CommitResult>> added = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      added.add(commitSender.add(++handedIn, List.of()));
    }
    return added;
  }

  private static StoreUnavailable unavailable(CompletableFuture<CommitResult> commit) {
    assertTrue(commit.isDone());
    CompletionException thrown = assertThrows(CompletionException.class, commit::join);
    return (StoreUnavailable) thrown.getCause();
  }
}
