package dev.plinth.standalone.history;

import dev.plinth.testkit.lease.LeaseAnswer;
import dev.plinth.testkit.lease.LeaseAnswer.Held;
import dev.plinth.testkit.lease.LeaseAnswer.Outcome;
import dev.plinth.testkit.lease.LeaseCall;
import dev.plinth.testkit.lease.LeaseCall.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * One client, which does one thing after the other as its random numbers say: takes keys, keeps
 * them by renewals, enters them again, hands them on, gives them back or forgets them, and comes
 * back with tokens that are long stale.
 */
final class Caller {
  /** Only this key is ever released by force: the holders of the others may rely on their time. */
  static final String FORCIBLE = "key0";

  private static final Duration LONG = Duration.ofMinutes(10);

  private final int number;
  private final int keys;
  private final boolean hurried;
  private final Sender sender;
  private final RandomGenerator random;
  private final List<LeaseCall> spent = new ArrayList<>();

  Caller(int number, int keys, boolean hurried, Sender sender, RandomGenerator random) {
    this.number = number;
    this.keys = keys;
    this.hurried = hurried;
    this.sender = sender;
    this.random = random;
  }

  void turn() {
    String key = "key" + random.nextInt(keys);
    int dice = random.nextInt(20);
    if (dice < 3) {
      send(LeaseCall.of(Kind.READ, key));
    } else if (dice < 6 && !spent.isEmpty()) {
      LeaseCall old = spent.get(random.nextInt(spent.size()));
      Kind[] kinds = {Kind.RELEASE, Kind.RENEW, Kind.VALIDATE};
      send(LeaseCall.of(kinds[random.nextInt(kinds.length)], old.key(), old.token()));
    } else if (dice == 6 && random.nextInt(4) == 0) {
      send(LeaseCall.of(Kind.FORCE_RELEASE, FORCIBLE));
    } else {
      hold(key);
    }
  }

  private void hold(String key) {
    boolean brief = random.nextBoolean();
    boolean shared = random.nextInt(4) == 0;
    Duration ttl = brief ? Duration.ofMillis(random.nextLong(150, 700)) : LONG;
    Duration wait = Duration.ofMillis(random.nextBoolean() ? 0 : random.nextLong(20, 300));
    // A grant that nobody knows of must run out soon, or the key is lost to the run.
    Duration timeout = brief && random.nextInt(6) == 0 ? Sender.IMPATIENT : Sender.PATIENT;
    LeaseCall spec = LeaseCall.acquire(key, "owner" + number, shared, ttl);
    Optional<LeaseAnswer> answer = sender.send(number, spec, wait, timeout);
    if (answer.isEmpty()
        || answer.get().outcome() != Outcome.GRANTED
            && answer.get().outcome() != Outcome.REENTERED) {
      return;
    }
    Held own = answer.get().holds().get(0);
    LeaseCall release = LeaseCall.of(Kind.RELEASE, key, own.token());
    for (int i = random.nextInt(4); i > 0; i--) {
      use(spec, own);
    }
    if (brief && random.nextInt(4) == 0) {
      outliveFirstTtl(spec, own);
    }
    end(release, own, brief);
    spent.add(release);
  }

  private void use(LeaseCall spec, Held own) {
    switch (random.nextInt(5)) {
      case 0 -> send(LeaseCall.of(Kind.RENEW, spec.key(), own.token()));
      case 1 -> send(LeaseCall.of(Kind.VALIDATE, spec.key(), own.token()));
      case 2 -> send(spec);
      default -> idle(Duration.ofMillis(hurried ? 0 : random.nextLong(30)));
    }
  }

  private void outliveFirstTtl(LeaseCall spec, Held own) {
    for (int i = 0; i < 6; i++) {
      idle(spec.ttl().dividedBy(4));
      send(LeaseCall.of(Kind.RENEW, spec.key(), own.token()));
    }
    send(LeaseCall.of(Kind.VALIDATE, spec.key(), own.token()));
  }

  private void end(LeaseCall release, Held own, boolean brief) {
    if (brief && random.nextInt(6) == 0) {
      return; // forgotten
    }
    if (!own.shared() && random.nextInt(8) == 0) {
      String to = "owner" + random.nextInt(HistoryRun.CALLERS);
      send(LeaseCall.transfer(release.key(), own.token(), to));
      return;
    }
    while (send(release).filter(a -> a.outcome() == Outcome.STILL_HELD).isPresent()) {
      idle(Duration.ofMillis(hurried ? 0 : random.nextLong(5)));
    }
  }

  private Optional<LeaseAnswer> send(LeaseCall call) {
    return sender.send(number, call, Duration.ZERO, Sender.PATIENT);
  }

  /** Long enough to be caught at it. */
  private static void idle(Duration time) {
    LockSupport.parkNanos(time.toNanos());
  }
}
