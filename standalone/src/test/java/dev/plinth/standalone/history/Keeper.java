package dev.plinth.standalone.history;

import dev.plinth.testkit.lease.LeaseAnswer;
import dev.plinth.testkit.lease.LeaseAnswer.Outcome;
import dev.plinth.testkit.lease.LeaseCall;
import dev.plinth.testkit.lease.LeaseCall.Kind;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * A client that keeps one key for a while, often for longer than it takes another node to take
 * over: whatever goes wrong finds a hold that a node cut off from the others would go on renewing.
 */
final class Keeper {
  static final String KEY = "kept";
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration PAUSE = Duration.ofMillis(40);
  private static final int MAX_RENEWALS = 120;

  private final int number;
  private final Sender sender;
  private final RandomGenerator random;

  Keeper(int number, Sender sender, RandomGenerator random) {
    this.number = number;
    this.sender = sender;
    this.random = random;
  }

  void turn() {
    LeaseCall spec = LeaseCall.acquire(KEY, "keeper" + number, false, LONG);
    Optional<LeaseAnswer> answer =
        sender.send(number, spec, Duration.ofMillis(300), Sender.PATIENT);
    if (answer.filter(a -> a.outcome() == Outcome.GRANTED).isEmpty()) {
      return;
    }
    long token = answer.get().holds().get(0).token();
    for (int i = random.nextInt(MAX_RENEWALS); i > 0; i--) {
      LockSupport.parkNanos(PAUSE.toNanos());
      send(LeaseCall.of(i % 2 == 0 ? Kind.RENEW : Kind.VALIDATE, KEY, token));
    }
    send(LeaseCall.of(Kind.RELEASE, KEY, token));
  }

  private void send(LeaseCall call) {
    sender.send(number, call, Duration.ZERO, Sender.PATIENT);
  }
}
