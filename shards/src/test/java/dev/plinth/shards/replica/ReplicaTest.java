package dev.plinth.shards.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.replica.ReplicaStatus.State;
import dev.plinth.testkit.ClockedMachine;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The copies of a node, from owners that the test speaks for, on its clock. */
class ReplicaTest {
  private static final Duration IDLE = Duration.ofMinutes(10);
  private static final Duration MAX_WAIT = Duration.ofSeconds(2);
  private static final Duration PROGRESS = Duration.ofSeconds(5);
  // Longer than any delay before a watch is opened again.
  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final int MAX_KEYS = 20;

  private final ManualClock clock = new ManualClock();
  private final FakeOwners owners = new FakeOwners();
  private final Replica<Text> replica =
      new Replica<>(
          new ReplicaOptions(MAX_KEYS, IDLE, MAX_WAIT, PROGRESS),
          owners,
          Text::version,
          ClockedMachine.of(clock),
          clock.scheduler());

  private ReplicaCopy<Text> get(String key) {
    ReplicaCopy<Text> copy = replica.get(key);
    clock.runDue();
    return copy;
  }

  private CompletableFuture<ReplicaCopy<Text>> await(String key, long minVersion) {
    CompletableFuture<ReplicaCopy<Text>> answer = replica.await(key, minVersion);
    clock.runDue();
    return answer;
  }

  private static ReplicaBehindException behind(CompletableFuture<?> answer) {
    assertTrue(answer.isDone(), "it has been given up");
    Throwable thrown = assertThrows(CompletionException.class, answer::join).getCause();
    return assertInstanceOf(ReplicaBehindException.class, thrown);
  }

  private void assertVersion(long version, String key) {
    assertEquals(version, get(key).version());
  }

  @Test
  void firstUse_opensOneWatch_andServesAllWhoWait() {
    assertFalse(get("a").known());
    List<CompletableFuture<ReplicaCopy<Text>>> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waiting.add(await("a", i % 3));
    }
    assertTrue(waiting.stream().noneMatch(CompletableFuture::isDone));
    owners.watch("a").put(2, "t1");
    for (CompletableFuture<ReplicaCopy<Text>> one : waiting) {
      assertEquals(2, one.join().version());
    }
    assertEquals(1, owners.opened.size());
    assertEquals("", owners.opened.get(0).resumeToken);
    assertTrue(get("a").isAtLeast(2));
    assertFalse(get("a").isAtLeast(3), "that has to be waited for");
  }

  @Test
  void absence_isKnown_andLastsUntilThereIsAValue() {
    CompletableFuture<ReplicaCopy<Text>> any = await("a", 0);
    owners.watch("a").delete("t1");
    assertEquals(Optional.empty(), any.join().value());
    assertTrue(get("a").isAtLeast(0));
    CompletableFuture<ReplicaCopy<Text>> first = await("a", 1);
    assertFalse(first.isDone(), "it may have just been made");
    owners.watch("a").put(1, "t2");
    assertEquals(1, first.join().version());
  }

  @Test
  void brokenWatch_resumesAfterTheLastMessage_andKeepsTheLastCopyMeanwhile() {
    get("a");
    owners.watch("a").put(1, "t1");
    owners.watch("a").put(2, "t2");
    owners.watch("a").listener.onProgress("t3");
    owners.watch("a").listener.onEnd("connection reset");
    clock.advance(Duration.ofMillis(1));
    assertVersion(2, "a");
    assertEquals(State.STALE, replica.status("a").state());
    assertEquals(Duration.ofMillis(1), replica.staleness());
    clock.advance(BACKOFF);
    assertEquals(2, owners.opened.size());
    assertEquals("t3", owners.watch("a").resumeToken);
    assertEquals(State.STALE, replica.status("a").state(), "nobody has spoken yet");
    owners.watch("a").put(3, "t4");
    assertVersion(3, "a");
    assertEquals(new ReplicaStatus(State.LIVE, Duration.ZERO), replica.status("a"));
    assertEquals(Duration.ZERO, replica.staleness());
  }

  @Test
  void watchThatKeepsBreaking_isOpenedLessAndLessOften() {
    get("a");
    for (int i = 0; i < 20; i++) {
      owners.watch("a").listener.onEnd("refused");
      clock.advance(BACKOFF);
    }
    assertEquals(21, owners.opened.size());
    owners.watch("a").listener.onEnd("refused");
    clock.advance(BACKOFF.dividedBy(2).minusMillis(1));
    assertEquals(21, owners.opened.size(), "at least half of the longest delay");
    clock.advance(BACKOFF);
    owners.watch("a").put(1, "t1");
    owners.watch("a").listener.onEnd("refused");
    clock.advance(Duration.ofMillis(50));
    assertEquals(23, owners.opened.size(), "a message ends the backoff");
  }

  @Test
  void silentOwner_isWatchedAgain_afterThreeProgressIntervals() {
    get("a");
    owners.watch("a").put(1, "t1");
    for (int i = 0; i < 10; i++) {
      clock.advance(PROGRESS);
      owners.watch("a").listener.onProgress("t" + i);
    }
    assertEquals(1, owners.opened.size(), "progress is a sign that the watch runs");
    clock.advance(PROGRESS.multipliedBy(2));
    assertEquals(State.LIVE, replica.status("a").state());
    assertEquals(PROGRESS.multipliedBy(2), replica.status("a").age());
    FakeOwners.Watch silent = owners.watch("a");
    clock.advance(PROGRESS.multipliedBy(3));
    assertTrue(silent.cancelled);
    assertEquals(2, owners.opened.size());
    assertEquals("t9", owners.watch("a").resumeToken);
    silent.put(7, "late");
    assertVersion(1, "a");
  }

  @Test
  void parts_areShownTogether() {
    get("a");
    owners.watch("a").part(5);
    assertFalse(get("a").known(), "more parts follow");
    owners.watch("a").listener.onEnd("connection reset");
    clock.advance(BACKOFF);
    assertEquals("", owners.watch("a").resumeToken, "the snapshot was not whole");
    owners.watch("a").part(1);
    owners.watch("a").part(2);
    owners.watch("a").listener.onProgress("t0");
    assertFalse(get("a").known(), "progress completes nothing");
    owners.watch("a").put(3, "t1");
    assertEquals(List.of(1L, 2L, 3L), get("a").value().orElseThrow().parts());
    owners.watch("a").part(4);
    owners.watch("a").listener.onEnd("connection reset");
    assertVersion(3, "a");
    clock.advance(BACKOFF);
    assertEquals("t1", owners.watch("a").resumeToken);
    owners.watch("a").part(4);
    owners.watch("a").put(5, "t2");
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L), get("a").value().orElseThrow().parts());
  }

  @Test
  void gap_keepsTheLastCopyUntilTheSnapshotIsWhole() {
    get("a");
    owners.watch("a").put(1, "t1");
    owners.watch("a").listener.onGap();
    owners.watch("a").part(7);
    assertEquals(List.of(1L), get("a").value().orElseThrow().parts());
    owners.watch("a").listener.onEnd("connection reset");
    clock.advance(BACKOFF);
    assertEquals("", owners.watch("a").resumeToken, "what was lost is only in the snapshot");
    owners.watch("a").part(8);
    owners.watch("a").put(9, "t2");
    assertEquals(List.of(8L, 9L), get("a").value().orElseThrow().parts());
  }

  @Test
  void versionThatDoesNotCome_isNotWaitedForForEver() {
    CompletableFuture<ReplicaCopy<Text>> never = await("a", 0);
    clock.advance(MAX_WAIT.minusMillis(1));
    assertFalse(never.isDone());
    clock.advance(Duration.ofMillis(1));
    assertFalse(behind(never).copy().known());
    owners.watch("a").put(4, "t1");
    CompletableFuture<ReplicaCopy<Text>> five = await("a", 5);
    clock.advance(MAX_WAIT);
    assertEquals(4, behind(five).copy().version());
    assertEquals("watching", behind(five).getMessage());
    owners.watch("a").listener.onEnd("connection reset");
    CompletableFuture<ReplicaCopy<Text>> broken = await("a", 5);
    clock.advance(MAX_WAIT);
    assertEquals("connection reset", behind(broken).getMessage());
  }

  @Test
  void changeThatCannotBeRead_leavesTheLastCopy_andIsTriedAgain() {
    get("a");
    owners.watch("a").put(1, "t1");
    FakeOwners.Watch unreadable = owners.watch("a");
    unreadable.listener.onChange(
        before -> {
          throw new IllegalArgumentException("algorithm 99");
        },
        "t2");
    assertTrue(unreadable.cancelled);
    assertVersion(1, "a");
    CompletableFuture<ReplicaCopy<Text>> second = await("a", 2);
    clock.advance(BACKOFF);
    assertEquals("t1", owners.watch("a").resumeToken, "to be told of it again");
    owners.watch("a").put(2, "t2");
    assertEquals(2, second.join().version());
  }

  @Test
  void watchThatCannotBeOpened_isTriedAgain() {
    owners.refusing = true;
    assertFalse(get("a").known());
    assertEquals(0, owners.opened.size());
    clock.advance(PROGRESS.multipliedBy(10));
    owners.refusing = false;
    clock.advance(BACKOFF);
    owners.watch("a").put(1, "t1");
    assertVersion(1, "a");
  }

  @Test
  void tooManyKeys_theLeastRecentlyUsedAreDropped() {
    for (int i = 0; i < 10 * MAX_KEYS; i++) {
      replica.get("k" + i);
      assertTrue(replica.size() <= MAX_KEYS, "at once, whatever the thread is doing");
      get("busy");
      assertTrue(owners.openKeys().size() <= MAX_KEYS);
    }
    assertEquals(
        1,
        owners.opened.stream().filter(watch -> watch.key.equals("busy")).count(),
        "what is used all the time stays");
  }

  @Test
  void keysInUse_areKept_whenAbsentOnesAreNamed() {
    nameManyOthers(key -> owners.watch(key).delete("t1"));
  }

  @Test
  void keysInUse_areKept_whenOthersAreNamed_whoseOwnerIsAway() {
    nameManyOthers(key -> {});
  }

  private void nameManyOthers(Consumer<String> answer) {
    List<String> inUse = IntStream.range(0, MAX_KEYS - 5).mapToObj(i -> "used" + i).toList();
    for (String key : inUse) {
      get(key);
      owners.watch(key).put(1, "t1");
    }
    for (int i = 0; i < 10 * MAX_KEYS; i++) {
      get("other" + i);
      answer.accept("other" + i);
      inUse.forEach(key -> assertVersion(1, key));
    }
    assertEquals(
        inUse.size(), owners.opened.stream().filter(watch -> watch.key.startsWith("used")).count());
  }

  @Test
  void tooManyBytes_theLeastRecentlyUsedAreDropped() {
    ReplicaMemory<Text> memory = new ReplicaMemory<>(10, value -> value.parts().size());
    try (Replica<Text> bounded =
        new Replica<>(
            new ReplicaOptions(1000, IDLE, MAX_WAIT, PROGRESS),
            memory,
            owners,
            Text::version,
            ClockedMachine.of(clock),
            clock.scheduler())) {
      for (int i = 0; i < 300; i++) {
        bounded.get("k" + i);
        bounded.get("busy");
        clock.runDue();
        FakeOwners.Watch watch = owners.watch(i == 0 ? "busy" : "k" + i);
        watch.put(1, "t1");
        clock.runDue();
        assertTrue(bounded.bytes() <= 10, bounded.bytes() + " bytes");
      }
      assertTrue(bounded.get("busy").known(), "what is used all the time stays");
      for (int i = 0; i < 20; i++) {
        owners.watch("busy").part(1);
      }
      owners.watch("busy").put(2, "t2");
      assertEquals(22, bounded.bytes(), "a large value is kept, alone");
    }
  }

  @Test
  void idleKey_isDropped_andABusyOneStays() {
    get("idle");
    get("busy");
    owners.watch("busy").put(1, "t1");
    Duration step = PROGRESS;
    for (Duration at = step; at.compareTo(IDLE) < 0; at = at.plus(step)) {
      owners.openKeys().forEach(key -> owners.watch(key).listener.onProgress("p"));
      clock.advance(step);
      assertVersion(1, "busy");
    }
    assertEquals(2, replica.size(), "not before its time");
    for (Duration at = step; at.compareTo(IDLE) < 0; at = at.plus(step)) {
      clock.advance(step);
      assertVersion(1, "busy");
      owners.watch("busy").listener.onProgress("p");
    }
    assertEquals(1, replica.size());
    assertEquals(List.of("busy"), owners.openKeys());
    assertEquals(State.UNKNOWN, replica.status("idle").state());
    assertFalse(get("idle").known(), "it is watched anew, from a snapshot");
    assertEquals("", owners.watch("idle").resumeToken);
  }

  @Test
  void keyThatIsDropped_tellsItsWaiters() {
    CompletableFuture<ReplicaCopy<Text>> waiting = await("a", 1);
    replica.close();
    clock.runDue();
    behind(waiting);
    assertEquals(List.of(), owners.openKeys());
    behind(await("b", 0));
    assertFalse(get("b").known());
    clock.advance(BACKOFF);
    assertEquals(1, owners.opened.size(), "a closed replica opens nothing");
  }
}
