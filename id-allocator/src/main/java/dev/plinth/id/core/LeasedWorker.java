package dev.plinth.id.core;

import java.time.Duration;

/** How a wish for a worker id ended. */
public sealed interface LeasedWorker {
  /** It was granted. */
  record Leased(WorkerView worker) implements LeasedWorker {}

  /** All are out. */
  record Exhausted(Duration earliestFree) implements LeasedWorker {}
}
