package dev.plinth.standalone.history;

import dev.plinth.testkit.lease.LogAnswer;
import dev.plinth.testkit.lease.LogCall;
import dev.plinth.testkit.lease.LogCall.Item;
import dev.plinth.testkit.lease.LogCall.Kind;
import dev.plinth.testkit.lease.LogCall.Mode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * One client of the mixed work: takes sets of keys, permits of a semaphore and keys with a
 * lock-delay, with and without waits, some of which it cancels; and renews, releases, hands on, has
 * taken away or forgets what it got. Every request is an owner of its own, so nothing waits in a
 * circle.
 */
final class MixedCaller {
  static final String SEMAPHORE = "permits";
  private static final String DELAYED = "delayed";
  private static final int KEYS = 4;
  private static final int MAX_WEIGHT = 3;

  private final int number;
  private final MixedSender sender;
  private final RandomGenerator random;

  MixedCaller(int number, MixedSender sender, RandomGenerator random) {
    this.number = number;
    this.sender = sender;
    this.random = random;
  }

  void turn() {
    int dice = random.nextInt(10);
    List<Item> items = dice < 4 ? set() : dice < 7 ? permits() : dice < 9 ? one() : delayed();
    boolean losesDelayed = items.get(0).key().equals(DELAYED);
    Duration delay = losesDelayed ? millis(50, 400) : Duration.ZERO;
    Duration ttl = losesDelayed ? millis(150, 350) : millis(250, 900);
    Duration wait = random.nextBoolean() ? Duration.ZERO : millis(20, 400);
    Optional<Duration> givesUp =
        !wait.isZero() && random.nextInt(3) == 0 ? Optional.of(millis(5, 100)) : Optional.empty();
    LogCall spec = LogCall.acquire(sender.newOwner(), items, ttl, delay);
    Optional<LogAnswer> answer = sender.send(number, spec, "", wait, givesUp);
    if (answer.filter(LogAnswer::done).isEmpty()) {
      return;
    }
    for (int i = 0; i < items.size(); i++) {
      use(items.get(i).key(), answer.get().tokens().get(i), losesDelayed);
    }
  }

  private List<Item> set() {
    List<Item> items = new ArrayList<>();
    int first = random.nextInt(KEYS);
    int size = random.nextInt(2, KEYS);
    for (int i = 0; i < size; i++) {
      items.add(
          new Item(
              "key" + (first + i) % KEYS,
              random.nextInt(4) == 0 ? Mode.SHARED : Mode.EXCLUSIVE,
              0));
    }
    return items;
  }

  private List<Item> permits() {
    return List.of(new Item(SEMAPHORE, Mode.SEMAPHORE, random.nextInt(1, MAX_WEIGHT + 1)));
  }

  private List<Item> one() {
    return List.of(new Item("key" + random.nextInt(KEYS), Mode.EXCLUSIVE, 0));
  }

  private List<Item> delayed() {
    return List.of(new Item(DELAYED, random.nextBoolean() ? Mode.SHARED : Mode.EXCLUSIVE, 0));
  }

  private void use(String key, long token, boolean forgetful) {
    LockSupport.parkNanos(millis(0, 15).toNanos());
    if (random.nextInt(4) == 0) {
      send(LogCall.of(Kind.RENEW, token), key);
    }
    int dice = random.nextInt(12);
    if (dice == 0 || forgetful && dice < 8) {
      return; // forgotten
    }
    if (dice == 1) {
      hand(key, token);
    } else if (dice == 2) {
      send(LogCall.of(Kind.FORCE_RELEASE, token), key);
    } else {
      send(LogCall.of(Kind.RELEASE, token), key);
    }
  }

  private void hand(String key, long token) {
    Optional<LogAnswer> handed = send(LogCall.transfer(token, sender.newOwner()), key);
    if (handed.filter(LogAnswer::done).isPresent() && random.nextBoolean()) {
      send(LogCall.of(Kind.RELEASE, handed.get().tokens().get(0)), key);
    }
  }

  /** Changes the capacity of the semaphore; for one client alone. */
  void changePolicy() {
    send(LogCall.policy(random.nextInt(1, 6)), "");
    LockSupport.parkNanos(millis(50, 300).toNanos());
  }

  private Optional<LogAnswer> send(LogCall call, String key) {
    return sender.send(number, call, key, Duration.ZERO, Optional.empty());
  }

  private Duration millis(int from, int to) {
    return Duration.ofMillis(random.nextInt(from, to));
  }
}
