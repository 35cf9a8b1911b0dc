package dev.plinth.shards.store.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.ManualClock;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** TTL 10 s, margin 2 s. */
class SessionKeeperTest {
  private final ManualClock clock = new ManualClock();
  private final FakeLeases leases = new FakeLeases();
  private final Told told = new Told();
  private final EtcdStoreContext etcdStoreContext = CommitSenderTest.setup(clock);
  private final SessionKeeper keeper = new SessionKeeper(leases, etcdStoreContext, told);

  /** Answers after a second on the way, or not at all. */
  private final class FakeLeases implements SessionKeeper.Leases {
    private long next = 1;
    private boolean silent;
    private boolean gone;
    private boolean hung;
    private final List<Runnable> held = new ArrayList<>();
    private int keptAlive;
    private final List<Long> revoked = new ArrayList<>();

    @Override
    public CompletableFuture<Granted> grant(Duration ttl) {
      return later(() -> new Granted(next++, ttl));
    }

    @Override
    public CompletableFuture<Duration> keepAlive(long lease) {
      keptAlive++;
      return later(
          () -> {
            if (gone) {
              throw Status.NOT_FOUND.asRuntimeException();
            }
            return Duration.ofSeconds(10);
          });
    }

    @Override
    public CompletableFuture<?> revoke(long lease) {
      revoked.add(lease);
      return new CompletableFuture<>();
    }

    private void goOn() {
      hung = false;
      held.forEach(Runnable::run);
    }

    private <T> CompletableFuture<T> later(java.util.function.Supplier<T> answer) {
      CompletableFuture<T> future = new CompletableFuture<>();
      boolean lost = silent;
      if (hung) {
        held.add(() -> future.complete(answer.get()));
        return future;
      }
      clock
          .scheduler()
          .schedule(
              () -> {
                if (lost) {
                  future.completeExceptionally(Status.DEADLINE_EXCEEDED.asRuntimeException());
                  return;
                }
                try {
                  future.complete(answer.get());
                } catch (RuntimeException e) {
                  future.completeExceptionally(e);
                }
              },
              1,
              java.util.concurrent.TimeUnit.SECONDS);
      return future;
    }
  }

  private static final class Told implements SessionKeeper.Listener {
    private final List<NodeSession> granted = new ArrayList<>();
    private final List<NodeSession> lost = new ArrayList<>();

    @Override
    public void granted(NodeSession nodeSession) {
      granted.add(nodeSession);
    }

    @Override
    public void lost(NodeSession nodeSession, String why) {
      lost.add(nodeSession);
    }
  }

  @BeforeEach
  void start() {
    CompletableFuture<Void> first = keeper.start();
    clock.advance(Duration.ofSeconds(1));
    assertTrue(first.isDone());
  }

  @Test
  void authority_countsFromBeforeTheRequestWasSent() {
    assertEquals(seconds(8), keeper.session().authorityUntil());
    clock.advance(Duration.ofSeconds(2));
    assertEquals(seconds(2) + seconds(8), keeper.session().authorityUntil());
  }

  @Test
  void session_isRenewedTenTimesInItsTime() {
    clock.advance(Duration.ofSeconds(100));
    assertEquals(100, leases.keptAlive, 1);
    assertEquals(1, told.granted.size());
    assertTrue(keeper.session().hasAuthority(now()));
  }

  @Test
  void silence_endsAuthority_andThenTheSession_thoughEtcdWouldRenewIt() {
    leases.silent = true;
    NodeSession first = keeper.session();
    clock.advance(Duration.ofSeconds(7));
    assertFalse(first.hasAuthority(now()));
    assertFalse(first.isExpired(), "it may yet be renewed in time");
    clock.advance(Duration.ofSeconds(3));
    leases.silent = false;
    clock.advance(Duration.ofSeconds(5));
    assertEquals(List.of(first), told.lost);
    assertEquals(List.of(1L), leases.revoked);
    assertNotEquals(first, keeper.session());
    assertTrue(keeper.session().hasAuthority(now()));
  }

  @Test
  void answerThatComesInTime_afterSomeThatWereLost_keepsTheSession() {
    leases.silent = true;
    clock.advance(Duration.ofSeconds(5));
    leases.silent = false;
    clock.advance(Duration.ofSeconds(3));
    assertEquals(List.of(), told.lost);
    assertTrue(keeper.session().hasAuthority(now()));
  }

  /** What hung answers all at once when it goes on: the last request was sent a moment ago. */
  @Test
  void renewalsGoOn_whileThoseBeforeAreNotAnswered() {
    leases.hung = true;
    clock.advance(Duration.ofMillis(7_500));
    assertEquals(7, leases.keptAlive, 1);
    leases.goOn();
    clock.runDue();
    assertEquals(List.of(), told.lost);
    assertTrue(keeper.session().authorityUntil() - now() > seconds(6), "counted from the last one");
  }

  @Test
  void sessionGivenUp_isLost_andAnotherIsGranted() {
    NodeSession first = keeper.session();
    keeper.giveUp(first, "etcd is older than it was");
    clock.advance(Duration.ofSeconds(2));
    assertEquals(List.of(first), told.lost);
    assertEquals(List.of(1L), leases.revoked);
    assertEquals(2, told.granted.size());
  }

  @Test
  void leaseGone_endsAuthorityAtOnce_andAnotherIsGranted() {
    NodeSession first = keeper.session();
    leases.gone = true;
    keeper.doubt(first);
    clock.advance(Duration.ofSeconds(1));
    assertTrue(first.isExpired());
    assertFalse(first.hasAuthority(now()));
    assertTrue(first.authorityUntil() <= now());
    leases.gone = false;
    clock.advance(Duration.ofSeconds(100));
    assertEquals(2, told.granted.size());
    assertEquals(List.of(first), told.lost);
  }

  @Test
  void wallClockSteps_changeNothing() {
    clock.stepWall(Duration.ofHours(-1));
    clock.advance(Duration.ofSeconds(30));
    clock.stepWall(Duration.ofDays(1));
    clock.advance(Duration.ofSeconds(30));
    assertEquals(List.of(), told.lost);
  }

  @Test
  void afterASleep_nothingIsSure_untilARenewalSentLater_isAnswered() {
    NodeSession nodeSession = keeper.session();
    clock.stepWall(Duration.ofMillis(1001));
    assertTrue(nodeSession.mayHaveSlept(moment()));
    keeper.slept(nodeSession);
    clock.runDue();
    assertEquals(1, leases.keptAlive, "asked at once");
    keeper.slept(nodeSession);
    clock.runDue();
    assertEquals(1, leases.keptAlive, "once");
    assertTrue(nodeSession.mayHaveSlept(moment()));
    clock.advance(Duration.ofSeconds(1));
    assertFalse(nodeSession.mayHaveSlept(moment()));
    assertTrue(nodeSession.hasAuthority(now()));
    assertEquals(List.of(), told.lost);
    assertEquals(1, standstills());
  }

  @Test
  void renewalThatWasUnderWayInASleep_provesNothing() {
    NodeSession nodeSession = keeper.session();
    clock.advance(Duration.ofMillis(1_500));
    assertEquals(2, leases.keptAlive, 1);
    clock.stepWall(Duration.ofHours(1));
    leases.silent = true;
    keeper.slept(nodeSession);
    clock.advance(Duration.ofSeconds(2));
    assertTrue(nodeSession.mayHaveSlept(moment()), "answered, but it was sent before");
    leases.silent = false;
    clock.advance(Duration.ofSeconds(2));
    assertFalse(nodeSession.mayHaveSlept(moment()), "the next one was sent after");
  }

  @Test
  void leaseThatEndedInASleep_isLost() {
    NodeSession first = keeper.session();
    clock.stepWall(Duration.ofMinutes(1));
    leases.gone = true;
    keeper.slept(first);
    clock.advance(Duration.ofSeconds(1));
    assertEquals(List.of(first), told.lost);
    leases.gone = false;
    clock.advance(Duration.ofSeconds(1));
    assertFalse(keeper.session().mayHaveSlept(moment()));
  }

  @Test
  void clocksThatDifferALittle_areNoSleep() {
    clock.stepWall(Duration.ofSeconds(1));
    assertFalse(keeper.session().mayHaveSlept(moment()));
    clock.stepWall(Duration.ofSeconds(-2));
    assertFalse(keeper.session().mayHaveSlept(moment()));
  }

  @Test
  void wallClockSetBack_mayHideASleep() {
    clock.stepWall(Duration.ofHours(-1));
    assertTrue(keeper.session().mayHaveSlept(moment()));
    clock.advance(Duration.ofSeconds(2));
    assertFalse(keeper.session().mayHaveSlept(moment()), "etcd has answered since");
    assertEquals(List.of(), told.lost);
  }

  @Test
  void stopped_keepsNothingAlive() {
    keeper.stop();
    clock.advance(Duration.ofSeconds(100));
    assertEquals(0, leases.keptAlive);
  }

  private ClockReading moment() {
    return etcdStoreContext.now();
  }

  private double standstills() {
    return etcdStoreContext
        .metrics()
        .registry()
        .get("plinth.etcd.clock.standstills")
        .counter()
        .count();
  }

  private long now() {
    return clock.nanos().getAsLong();
  }

  private static long seconds(long seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }
}
