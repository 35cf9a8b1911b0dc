package dev.plinth.simulation.workload;

import dev.plinth.testkit.lease.LogAnswer;
import dev.plinth.testkit.lease.LogCall;
import dev.plinth.testkit.lease.LogCall.Item;
import dev.plinth.testkit.lease.LogCall.Kind;
import dev.plinth.testkit.lease.LogCall.Mode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * One client of the mixed work: takes sets of keys, permits of a semaphore and keys with a
 * lock-delay, with and without waits, some of which it cancels, some for a session; and renews,
 * releases, hands on, has taken away or forgets what it got. Every request is an owner of its own,
 * so nothing waits in a circle.
 */
final class MixedClient {
  private static final String DELAYED = "delayed";
  private static final int KEYS = 4;
  private static final int MAX_WEIGHT = 3;

  private final WireClient client;
  private final MixedSender sender;
  private final SwarmOptions options;
  private final Optional<ClientSession> session;
  private SplittableRandom random;
  private int owners;

  MixedClient(
      WireClient client,
      MixedSender sender,
      SwarmOptions options,
      Optional<ClientSession> session) {
    this.client = client;
    this.sender = sender;
    this.options = options;
    this.session = session;
    this.random = client.random();
  }

  void start() {
    session.ifPresent(ClientSession::start);
    client.after(random.nextInt(50), this::turn);
  }

  private void next() {
    if (!client.log().isOver()) {
      client.after(random.nextInt(options.thinkMillis()), this::turn);
    }
  }

  private String newOwner() {
    return client.name() + "-o" + ++owners;
  }

  private void turn() {
    boolean present = client.beginTurn();
    random = client.turnRandom();
    if (!present) {
      next();
      return;
    }
    List<Item> items = items();
    boolean delayed = items.get(0).key().equals(DELAYED);
    Duration delay = delayed ? millis(50, 4000) : Duration.ZERO;
    Duration usual = options.isCalm() ? millis(5000, 20_000) : millis(250, 2000);
    Duration ttl = delayed ? millis(150, 600) : usual;
    boolean waits = options.has("waits") && random.nextBoolean();
    Duration wait = waits ? millis(20, 4000) : Duration.ZERO;
    boolean cancels = waits && options.has("cancels") && random.nextInt(3) == 0;
    Optional<Duration> givesUp = cancels ? Optional.of(millis(0, 100)) : Optional.empty();
    Optional<ClientSession.Open> bound =
        delayed ? Optional.empty() : session.flatMap(ClientSession::open);
    LogCall sent = LogCall.acquire(newOwner(), items, ttl, delay);
    LogCall recorded = recorded(sent, bound);
    boolean anonymous = options.has("anonymous") && !cancels && random.nextInt(3) == 0;
    sender.acquire(
        recorded,
        sent,
        new MixedSender.Manner(
            wait,
            anonymous ? Patience.endless(random.nextLong(2000, 15_000), 0).once() : patience(),
            bound.map(ClientSession.Open::id).orElse(""),
            givesUp,
            replays()),
        answer -> use(items, answer, delayed, bound.isPresent()));
  }

  private Optional<Duration> replays() {
    return options.has("late-retries") && random.nextInt(4) == 0
        ? Optional.of(millis(0, 20_000))
        : Optional.empty();
  }

  /** Holds of a session end with it, which is checked elsewhere. */
  private LogCall recorded(LogCall sent, Optional<ClientSession.Open> bound) {
    Duration ttl = KeyedHistory.atLeast(sent.ttl(), options.driftPpm());
    Duration delay = KeyedHistory.atLeast(sent.lockDelay(), options.driftPpm());
    return bound.isPresent()
        ? LogCall.acquire(sent.owner(), sent.items(), Duration.ZERO, bound.get().lockDelay())
        : LogCall.acquire(sent.owner(), sent.items(), ttl, delay);
  }

  private List<Item> items() {
    int dice = random.nextInt(10);
    if (dice < 4 && options.has("sets")) {
      return set();
    } else if (dice < 7 && options.has("semaphores")) {
      return List.of(
          new Item(MixedWire.SEMAPHORE, Mode.SEMAPHORE, random.nextInt(1, MAX_WEIGHT + 1)));
    } else if (dice < 9 && options.has("lock-delays")) {
      return List.of(new Item(DELAYED, random.nextBoolean() ? Mode.SHARED : Mode.EXCLUSIVE, 0));
    }
    return List.of(new Item("key" + random.nextInt(KEYS), mode(), 0));
  }

  private List<Item> set() {
    List<Item> items = new ArrayList<>();
    int first = random.nextInt(KEYS);
    int size = random.nextInt(2, KEYS);
    for (int i = 0; i < size; i++) {
      items.add(new Item("key" + (first + i) % KEYS, mode(), 0));
    }
    return items;
  }

  private Mode mode() {
    return options.has("shared") && random.nextInt(4) == 0 ? Mode.SHARED : Mode.EXCLUSIVE;
  }

  private void use(List<Item> items, Optional<LogAnswer> answer, boolean delayed, boolean bound) {
    if (answer.filter(LogAnswer::done).isEmpty()) {
      next();
      return;
    }
    List<Long> tokens = answer.get().tokens();
    use(items, tokens, 0, delayed, bound);
  }

  private void use(List<Item> items, List<Long> tokens, int at, boolean delayed, boolean bound) {
    if (at == items.size()) {
      next();
      return;
    }
    String key = items.get(at).key();
    long token = tokens.get(at);
    Runnable then = () -> use(items, tokens, at + 1, delayed, bound);
    client.after(random.nextInt(20), () -> renew(key, token, delayed, bound, then));
  }

  private void renew(String key, long token, boolean delayed, boolean bound, Runnable then) {
    if (random.nextInt(4) == 0 && !bound) {
      send(LogCall.of(Kind.RENEW, token), key, answer -> end(key, token, delayed, then));
    } else {
      end(key, token, delayed, then);
    }
  }

  private void end(String key, long token, boolean delayed, Runnable then) {
    int dice = random.nextInt(12);
    if (dice == 0 || delayed && dice < 8) {
      then.run(); // forgotten
    } else if (dice == 1 && options.has("transfer")) {
      transfer(key, token, then);
    } else if (dice == 2 && options.has("force")) {
      send(LogCall.of(Kind.FORCE_RELEASE, token), key, answer -> then.run());
    } else {
      send(LogCall.of(Kind.RELEASE, token), key, answer -> then.run());
    }
  }

  private void transfer(String key, long token, Runnable then) {
    send(
        LogCall.transfer(token, newOwner()),
        key,
        handed -> {
          if (handed.filter(LogAnswer::done).isPresent() && random.nextBoolean()) {
            long next = handed.get().tokens().get(0);
            send(LogCall.of(Kind.RELEASE, next), key, answer -> then.run());
          } else {
            then.run();
          }
        });
  }

  /** Changes the capacity of the semaphore now and then; for one client alone. */
  void changePolicies(Runnable first) {
    send(
        LogCall.policy(random.nextInt(MAX_WEIGHT - 1, 6)), // below what some wait for, too
        "",
        answer -> {
          first.run();
          if (options.has("policies") && !client.log().isOver()) {
            int most = random.nextBoolean() ? 800 : 4000;
            client.after(random.nextInt(50, most), () -> changePolicies(() -> {}));
          }
        });
  }

  private void send(
      LogCall call, String key, java.util.function.Consumer<Optional<LogAnswer>> then) {
    sender.send(call, key, patience(), then);
  }

  private Patience patience() {
    long attempt = random.nextInt(5) == 0 ? random.nextLong(5, 200) : random.nextLong(500, 6000);
    return Patience.endless(attempt, random.nextLong(200));
  }

  private Duration millis(int from, int to) {
    return Duration.ofMillis(random.nextInt(from, to));
  }
}
