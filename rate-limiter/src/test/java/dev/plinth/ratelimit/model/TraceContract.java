package dev.plinth.ratelimit.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Outcome;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * A store decides as the model does, over random traces (L9). A failure names its seed and step;
 * with {@code PLINTH_TRACES=7-7} in the environment it runs alone, with {@code 1-100000} there are
 * more.
 */
public abstract class TraceContract {
  private static final int STEPS = 80;

  /** An empty store; called once. */
  protected abstract BudgetStore open();

  /** Sets the store's time, forwards or backwards. */
  protected abstract void at(long micros);

  /** How many traces; each has a domain of its own. */
  protected int traces() {
    return 150;
  }

  @Test
  void L9_storeDecidesAsTheModel() {
    String given = System.getenv().getOrDefault("PLINTH_TRACES", "1-" + traces());
    int first = Integer.parseInt(given.substring(0, given.indexOf('-')));
    int last = Integer.parseInt(given.substring(given.indexOf('-') + 1));
    try (BudgetStore store = open()) {
      for (int seed = first; seed <= last; seed++) {
        run(store, seed);
      }
    }
  }

  private void run(BudgetStore store, int seed) {
    Model model = new Model();
    Trace trace = new Trace(seed, model);
    TreeMap<Long, Long> tokens = new TreeMap<>();
    for (int step = 0; step < STEPS; step++) {
      List<BudgetRequest> batch = trace.next();
      long now = trace.now();
      at(now);
      List<Outcome> decided = store.apply("trace" + seed, batch).toCompletableFuture().join();
      assertEquals(batch.size(), decided.size());
      for (int i = 0; i < batch.size(); i++) {
        Outcome expected = model.apply(batch.get(i), now);
        String where = "seed " + seed + " step " + step + " at " + now + ": " + batch.get(i);
        assertEquals(expected, sameToken(tokens, expected, decided.get(i), where), where);
        trace.saw(expected);
      }
    }
  }

  /** Tokens may be any numbers that rise as the model's do. */
  private static Outcome sameToken(
      TreeMap<Long, Long> tokens, Outcome expected, Outcome decided, String where) {
    if (expected instanceof Outcome.SlotOutcome ours
        && decided instanceof Outcome.SlotOutcome theirs
        && ours.token() > 0
        && theirs.token() > 0) {
      Long known = tokens.putIfAbsent(ours.token(), theirs.token());
      assertEquals(known == null ? theirs.token() : known, theirs.token(), where);
      var before = tokens.lowerEntry(ours.token());
      assertEquals(true, before == null || before.getValue() < theirs.token(), where);
      return new Outcome.SlotOutcome(
          theirs.acquired(), ours.token(), theirs.retry(), theirs.standings());
    }
    return decided;
  }
}
