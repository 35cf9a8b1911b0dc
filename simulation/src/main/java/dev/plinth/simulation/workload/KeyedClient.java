package dev.plinth.simulation.workload;

import dev.plinth.testkit.lease.LeaseAnswer;
import dev.plinth.testkit.lease.LeaseAnswer.Held;
import dev.plinth.testkit.lease.LeaseAnswer.Outcome;
import dev.plinth.testkit.lease.LeaseCall;
import dev.plinth.testkit.lease.LeaseCall.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * One client of single keys, which does one thing after the other: takes keys, keeps them by
 * renewals, enters them again, hands them on, gives them back or forgets them, and comes back with
 * tokens that are long stale.
 */
final class KeyedClient {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final int MOST_UNKNOWN = 4; // of a key, or the search for an order takes for ever

  private final WireClient client;
  private final int number;
  private final KeyedSender sender;
  private final SwarmOptions options;
  private SplittableRandom random;
  private final List<LeaseCall> spent = new ArrayList<>();

  KeyedClient(WireClient client, int number, KeyedSender sender, SwarmOptions options) {
    this.client = client;
    this.number = number;
    this.sender = sender;
    this.options = options;
    this.random = client.random();
  }

  void start() {
    client.after(random.nextInt(50), this::turn);
  }

  private void next() {
    if (!client.log().isOver()) {
      client.after(random.nextInt(options.thinkMillis()), this::turn);
    }
  }

  private void turn() {
    boolean present = client.beginTurn();
    random = client.turnRandom();
    if (!present) {
      next();
      return;
    }
    String key = "key" + random.nextInt(options.keys());
    int dice = random.nextInt(20);
    if (dice < 3) {
      send(LeaseCall.of(Kind.READ, key), this::next);
    } else if (dice < 6 && !spent.isEmpty()) {
      LeaseCall old = spent.get(random.nextInt(spent.size()));
      Kind[] kinds = {Kind.RELEASE, Kind.RENEW, Kind.VALIDATE};
      send(LeaseCall.of(kinds[random.nextInt(kinds.length)], old.key(), old.token()), this::next);
    } else if (dice == 6 && options.has("force") && random.nextInt(4) == 0) {
      // Sent again after an answer without an effect it could end a later hold.
      KeyedSender.Manner once =
          new KeyedSender.Manner(Duration.ZERO, patience().once(), Optional.empty());
      sender.send(LeaseCall.of(Kind.FORCE_RELEASE, "key0"), once, answer -> next());
    } else {
      acquire(key);
    }
  }

  private void acquire(String key) {
    boolean brief = random.nextInt(options.isCalm() ? 20 : 2) == 0;
    boolean shared = options.has("shared") && random.nextInt(3) == 0;
    Duration ttl = brief ? Duration.ofMillis(random.nextLong(150, 2000)) : LONG;
    boolean waits = options.has("waits") && random.nextBoolean();
    Duration wait = waits ? Duration.ofMillis(random.nextLong(20, 3000)) : Duration.ZERO;
    LeaseCall spec = LeaseCall.acquire(key, "owner" + number, shared, ttl);
    // A grant that nobody knows of must run out soon, or the key is lost to the run.
    String given = "gave up " + key;
    boolean gives = brief && client.log().counted(given) < MOST_UNKNOWN && random.nextInt(12) == 0;
    if (gives) {
      client.log().count(given);
    }
    Patience patience = gives ? patience().once() : patience();
    sender.send(
        spec,
        new KeyedSender.Manner(wait, patience, lateRetry()),
        answer -> {
          if (answer.filter(KeyedClient::isHeld).isPresent()) {
            Held own = answer.get().holds().get(0);
            use(spec, own, random.nextInt(4), brief);
          } else {
            next();
          }
        });
  }

  private static boolean isHeld(LeaseAnswer answer) {
    return answer.outcome() == Outcome.GRANTED || answer.outcome() == Outcome.REENTERED;
  }

  private void use(LeaseCall spec, Held own, int times, boolean brief) {
    if (times == 0) {
      end(spec, own, brief);
      return;
    }
    Runnable then = () -> use(spec, own, times - 1, brief);
    switch (random.nextInt(5)) {
      case 0 -> send(LeaseCall.of(Kind.RENEW, spec.key(), own.token()), then);
      case 1 -> send(LeaseCall.of(Kind.VALIDATE, spec.key(), own.token()), then);
      case 2 -> {
        if (options.has("reentry")) {
          // Where the hold was lost meanwhile this is a new one, and the one to go on with.
          sender.send(
              spec,
              manner(),
              answer ->
                  use(
                      spec,
                      answer.filter(KeyedClient::isHeld).map(a -> a.holds().get(0)).orElse(own),
                      times - 1,
                      brief));
        } else {
          then.run();
        }
      }
      case 3 -> outlive(spec, own, brief ? renewals() : 1, then);
      default -> client.after(random.nextInt(options.thinkMillis()), then);
    }
  }

  /** Now and then so many that the hold lasts beyond a takeover. */
  private int renewals() {
    return random.nextInt(4) == 0 ? 40 : 6;
  }

  private void outlive(LeaseCall spec, Held own, int times, Runnable then) {
    if (times == 0 || client.log().isOver()) {
      then.run();
      return;
    }
    client.after(
        Math.min(spec.ttl().toMillis() / 4, 500),
        () ->
            send(
                LeaseCall.of(Kind.RENEW, spec.key(), own.token()),
                () -> outlive(spec, own, times - 1, then)));
  }

  private void end(LeaseCall spec, Held own, boolean brief) {
    LeaseCall release = LeaseCall.of(Kind.RELEASE, spec.key(), own.token());
    spent.add(release);
    if (brief && random.nextInt(6) == 0) {
      next(); // forgotten
    } else if (brief && !own.shared() && options.has("transfer") && random.nextInt(4) == 0) {
      // Of shared ones an owner could get several, which the model does not tell apart.
      send(LeaseCall.transfer(spec.key(), own.token(), "owner" + random.nextInt(4)), this::next);
    } else {
      release(release);
    }
  }

  private void release(LeaseCall release) {
    sender.send(
        release,
        manner(),
        answer -> {
          if (answer.filter(a -> a.outcome() == Outcome.STILL_HELD).isPresent()) {
            // Now and then so late that another node has the key by then, and knows the entries.
            int later = random.nextBoolean() ? 5 : 3000;
            client.after(random.nextInt(later), () -> release(release));
          } else {
            next();
          }
        });
  }

  private void send(LeaseCall call, Runnable then) {
    sender.send(call, manner(), answer -> then.run());
  }

  private KeyedSender.Manner manner() {
    return new KeyedSender.Manner(Duration.ZERO, patience(), lateRetry());
  }

  private Optional<Duration> lateRetry() {
    if (!options.has("late-retries") || random.nextInt(10) > 0) {
      return Optional.empty();
    }
    long most = random.nextInt(4) == 0 ? options.longestRetryMillis() : 2000;
    return Optional.of(Duration.ofMillis(random.nextLong(most)));
  }

  private Patience patience() {
    long attempt = random.nextInt(5) == 0 ? random.nextLong(5, 200) : random.nextLong(500, 6000);
    Patience patience = Patience.endless(attempt, random.nextLong(200));
    boolean hedged = options.has("hedges") && client.nodes() > 1 && random.nextInt(8) == 0;
    return hedged ? patience.withHedge() : patience;
  }
}
