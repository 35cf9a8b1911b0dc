package dev.plinth.id.core;

import java.time.Duration;

/** How a wish for a worker id ended. */
public sealed interface LeaseWorkerResult {
  /** It was granted. */
  record Leased(WorkerView worker) implements LeaseWorkerResult {}

  /** All are out. */
  record Exhausted(Duration earliestFree) implements LeaseWorkerResult {}
}
