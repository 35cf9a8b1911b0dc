package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Outcome;
import java.util.List;

/** One request of a flush, and who waits for its outcome. */
interface FlushEntry {
  /** What is sent for one that waits, in this order. */
  static List<FlushEntry> of(PendingAnswer<?> answer, DecisionRecorder recorder) {
    if (answer instanceof PendingCheck check) {
      return List.of(new MergedChecks(check, recorder));
    } else if (answer instanceof PendingRequest request && request.before().isPresent()) {
      return List.of(request.before().get(), request);
    }
    return List.of((FlushEntry) answer);
  }

  BudgetRequest request();

  /** How many budgets it names. */
  int budgets();

  /** How many checks it stands for. */
  int checks();

  /** Called once, with what the store said. */
  void answered(Outcome outcome, Flush flush);

  /** The store failed, or answered something else. */
  void failed(Throwable cause);

  /** Those that waited too long are decided without the store. */
  void expire(long now);
}
