package dev.plinth.ratelimit.store.redis;

import dev.plinth.ratelimit.core.Budget;
import dev.plinth.ratelimit.core.Charge;
import dev.plinth.ratelimit.core.Limit;
import dev.plinth.ratelimit.core.OnChange;
import dev.plinth.ratelimit.core.Operation;
import dev.plinth.ratelimit.core.Request;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Requests and times that meet each other: few budgets, few tickets, few slots, many versions. */
final class RandomRequests {
  private static final long SECOND = 1_000_000;
  private static final long DAY = 86_400 * SECOND;
  private static final int KEYS = 4;
  private static final ZoneId[] ZONES = {ZoneId.of("Europe/Berlin"), ZoneId.of("Asia/Kolkata")};

  private final Random random;
  private final Map<String, Budget> latest = new HashMap<>();

  RandomRequests(long seed) {
    random = new Random(seed);
  }

  /** How far the clock moves on; now and then, back. */
  long step() {
    return switch (random.nextInt(12)) {
      case 0, 1, 2 -> 0;
      case 3 -> random.nextInt(10);
      case 4, 5 -> random.nextInt(50_000);
      case 6, 7, 8 -> random.nextLong(3 * SECOND);
      case 9 -> random.nextLong(300 * SECOND);
      case 10 -> random.nextInt(4) == 0 ? random.nextLong(40 * DAY) : random.nextLong(SECOND);
      default -> -random.nextLong(random.nextBoolean() ? 2 * SECOND : 2 * DAY);
    };
  }

  List<Request> batch() {
    List<Request> batch = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      batch.add(request());
    }
    return batch;
  }

  private Request request() {
    Operation operation = operation();
    if (random.nextInt(8) > 0) {
      return Request.of(operation);
    }
    return new Request(
        operation,
        Optional.of(
            new Request.Once("r" + random.nextInt(4), random.nextInt(4) > 0 ? "same" : "other")));
  }

  private Operation operation() {
    return switch (random.nextInt(16)) {
      case 0, 1 -> new Operation.Settle("t" + random.nextInt(3), random.nextInt(8));
      case 2 -> new Operation.Reset(budgets(random.nextInt(10) == 0));
      case 3, 4 ->
          new Operation.AcquireSlot(
              places(), "slot" + random.nextInt(5), random.nextLong(5 * SECOND) + 1);
      case 5 ->
          new Operation.RenewSlot("slot" + random.nextInt(5), random.nextLong(9 * SECOND) + 1);
      case 6 -> new Operation.ReleaseSlot("slot" + random.nextInt(5));
      default -> take();
    };
  }

  private Operation.Take take() {
    long cost = random.nextInt(6) == 0 ? 0 : random.nextInt(random.nextInt(6) == 0 ? 2000 : 5) + 1;
    boolean equal = random.nextInt(4) > 0;
    List<Charge> charges = new ArrayList<>();
    for (Budget budget : budgets(false)) {
      charges.add(new Charge(budget, equal ? cost : random.nextInt(4)));
    }
    Optional<Operation.Ticket> ticket =
        random.nextInt(3) > 0
            ? Optional.empty()
            : Optional.of(
                new Operation.Ticket("t" + random.nextInt(3), random.nextLong(60 * SECOND) + 1));
    long lease = random.nextInt(4) == 0 ? random.nextInt(20) + 1 : 0;
    int count = random.nextInt(3) == 0 && ticket.isEmpty() ? random.nextInt(9) + 1 : 1;
    if (equal && cost > 0 && count == 1 && random.nextInt(4) == 0) {
      return new Operation.Take(charges, 1, true, 0, lease, ticket);
    }
    long wait = count == 1 && random.nextInt(4) == 0 ? random.nextLong(3 * SECOND) : 0;
    if (random.nextInt(8) == 0) {
      for (Budget places : places()) {
        charges.add(new Charge(places, 0));
      }
    }
    return new Operation.Take(charges, count, false, wait, lease, ticket);
  }

  private List<Budget> budgets(boolean withPlaces) {
    List<Integer> keys = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      keys.add(i);
    }
    Collections.shuffle(keys, random);
    List<Budget> budgets = new ArrayList<>();
    for (int key : keys.subList(0, 1 + random.nextInt(3))) {
      budgets.add(budget("k" + key));
    }
    if (withPlaces) {
      budgets.addAll(places());
    }
    return budgets;
  }

  /** Mostly as the last time; else of the next version, and once in a while of one before. */
  private Budget budget(String key) {
    Budget last = latest.get(key);
    if (last == null || random.nextInt(12) == 0) {
      last = next(key, last);
      latest.put(key, last);
    } else if (random.nextInt(40) == 0) {
      return next(key, last).version() < 3 ? last : old(last);
    }
    return last;
  }

  private Budget old(Budget last) {
    return new Budget(
        last.key(),
        last.limit(),
        last.version() - 1,
        last.onChange(),
        last.shadow(),
        last.lending());
  }

  private Budget next(String key, Budget last) {
    Limit limit = last != null && random.nextInt(2) == 0 ? resized(last.limit()) : limit();
    Optional<Budget.Lending> lending =
        random.nextInt(3) == 0
            ? Optional.empty()
            : Optional.of(
                new Budget.Lending(random.nextInt(40), random.nextLong(4 * SECOND) + 100_000));
    return new Budget(
        key,
        limit,
        last == null ? 1 : last.version() + 1,
        OnChange.values()[random.nextInt(4)],
        random.nextInt(4) == 0,
        lending);
  }

  private Limit resized(Limit limit) {
    long size = size();
    if (limit instanceof Limit.Bucket bucket) {
      return exact(new Limit.Bucket(size, bucket.num(), bucket.den()));
    } else if (limit instanceof Limit.FixedWindow fixed) {
      return new Limit.FixedWindow(size, fixed.period());
    } else if (limit instanceof Limit.CalendarWindow calendar) {
      return new Limit.CalendarWindow(size, calendar.unit(), calendar.zone());
    } else if (limit instanceof Limit.SlidingCounter counter) {
      return exact(new Limit.SlidingCounter(size, counter.period()));
    } else if (limit instanceof Limit.SlidingLog log) {
      return new Limit.SlidingLog(Math.min(size, Limit.SlidingLog.MOST), log.period());
    }
    return limit();
  }

  private long size() {
    return random.nextInt(8) == 0 ? random.nextLong(1_000_000_000) + 1 : random.nextInt(30) + 1;
  }

  private Limit limit() {
    long period =
        random.nextInt(4) == 0 ? random.nextLong(DAY) + 1 : random.nextLong(3 * SECOND) + 1;
    Limit limit =
        switch (random.nextInt(8)) {
          case 0, 1, 2 -> reduced(size(), random.nextLong(3 * SECOND) + 1, random.nextInt(999) + 1);
          case 3 -> new Limit.Paced(random.nextLong(3 * SECOND) + 1, 1);
          case 4 -> new Limit.FixedWindow(size(), period);
          case 5 ->
              new Limit.CalendarWindow(
                  size(), Limit.Calendar.values()[random.nextInt(5)], ZONES[random.nextInt(2)]);
          case 6 -> new Limit.SlidingCounter(size(), period);
          default -> new Limit.SlidingLog(random.nextInt(20) + 1, period);
        };
    return exact(limit);
  }

  private static Limit reduced(long burst, long num, long den) {
    long common =
        java.math.BigInteger.valueOf(num).gcd(java.math.BigInteger.valueOf(den)).longValue();
    return new Limit.Bucket(burst, num / common, den / common);
  }

  private Limit exact(Limit limit) {
    return limit.isExact() ? limit : limit();
  }

  private List<Budget> places() {
    List<Budget> places = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(2); i++) {
      places.add(
          new Budget(
              "c" + i,
              new Limit.Concurrency(random.nextInt(3) + 1),
              1,
              OnChange.AS_IS,
              i == 1 && random.nextInt(3) == 0,
              Optional.empty()));
    }
    return places;
  }
}
