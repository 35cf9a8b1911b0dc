package dev.plinth.testkit.lease;

import dev.plinth.testkit.History.Ending;
import dev.plinth.testkit.History.Operation;
import dev.plinth.testkit.lease.LeaseAnswer.Held;
import dev.plinth.testkit.lease.LeaseAnswer.Outcome;
import dev.plinth.testkit.lease.LeaseCall.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * A key as a server would keep it, written without regard to the model, and the history of clients
 * that use it at random. Each operation has its effect at a moment within its interval; holds end
 * some time after theirs is over, or later still.
 */
final class SimulatedLeases {
  private static final class Row {
    String owner;
    long token;
    boolean shared;
    int entries = 1;
    long deadline;

    Held held() {
      return new Held(owner, token, shared, entries);
    }
  }

  private static final Duration TTL = Duration.ofNanos(2_000);
  private static final String[] OWNERS = {"ann", "bob", "cid"};

  private final RandomGenerator random;
  private final List<Row> rows = new ArrayList<>();
  private final List<Operation<LeaseCall, LeaseAnswer>> history = new ArrayList<>();
  private final int oneLostIn;
  private long now;
  private long tokens;

  SimulatedLeases(RandomGenerator random, int oneLostIn) {
    this.random = random;
    this.oneLostIn = oneLostIn;
  }

  List<Operation<LeaseCall, LeaseAnswer>> run(int operations) {
    for (int i = 0; i < operations; i++) {
      now += 1 + random.nextInt(500);
      rows.removeIf(row -> row.deadline <= now && random.nextBoolean());
      LeaseCall call = call();
      boolean lost = random.nextInt(oneLostIn) == 0;
      boolean arrives = !lost || random.nextBoolean();
      LeaseAnswer answer = arrives ? answer(call) : null;
      history.add(
          new Operation<>(
              i,
              call,
              now - random.nextInt(700),
              lost ? Long.MAX_VALUE : now + random.nextInt(700),
              lost ? Ending.UNKNOWN : Ending.OK,
              lost ? Optional.empty() : Optional.of(answer)));
    }
    return history;
  }

  private LeaseCall call() {
    String owner = OWNERS[random.nextInt(OWNERS.length)];
    long token = 1 + random.nextLong(tokens + 1);
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> LeaseCall.acquire("k", owner, random.nextInt(3) == 0, TTL);
      case 3 -> LeaseCall.of(Kind.RENEW, "k", token);
      case 4, 5 -> LeaseCall.of(Kind.RELEASE, "k", token);
      case 6 -> LeaseCall.of(Kind.VALIDATE, "k", token);
      default -> LeaseCall.of(Kind.READ, "k");
    };
  }

  private LeaseAnswer answer(LeaseCall call) {
    Optional<Row> row = rows.stream().filter(r -> r.token == call.token()).findFirst();
    return switch (call.kind()) {
      case ACQUIRE -> acquire(call);
      case RENEW -> LeaseAnswer.of(row.map(this::renew).orElse(Outcome.LOST));
      case RELEASE -> LeaseAnswer.of(row.map(this::release).orElse(Outcome.NOT_HELD));
      case VALIDATE ->
          row.isPresent()
              ? LeaseAnswer.of(Outcome.VALID)
              : LeaseAnswer.stale(rows.stream().mapToLong(r -> r.token).max().orElse(0));
      default -> LeaseAnswer.of(Outcome.SHOWN, shown());
    };
  }

  private LeaseAnswer acquire(LeaseCall call) {
    for (Row row : rows) {
      if (row.owner.equals(call.owner())) {
        if (row.shared && !call.shared() && rows.size() > 1) {
          return LeaseAnswer.of(Outcome.HELD, shown());
        }
        row.shared &= call.shared();
        row.entries++;
        renew(row);
        return LeaseAnswer.of(Outcome.REENTERED, row.held());
      }
    }
    if (!rows.isEmpty() && !(call.shared() && rows.get(0).shared)) {
      return LeaseAnswer.of(Outcome.HELD, shown());
    }
    Row row = new Row();
    row.owner = call.owner();
    row.token = ++tokens;
    row.shared = call.shared();
    renew(row);
    rows.add(row);
    return LeaseAnswer.of(Outcome.GRANTED, row.held());
  }

  private Outcome renew(Row row) {
    row.deadline = now + TTL.toNanos();
    return Outcome.RENEWED;
  }

  private Outcome release(Row row) {
    if (row.entries-- > 1) {
      return Outcome.STILL_HELD;
    }
    rows.remove(row);
    return Outcome.RELEASED;
  }

  private List<Held> shown() {
    return rows.stream().map(Row::held).toList();
  }
}
