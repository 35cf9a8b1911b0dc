package dev.plinth.client.lease;

import dev.plinth.lease.v1.AcquireSetItem;
import dev.plinth.lease.v1.Mode;

/** One key of a set, and how it is to be taken. */
public final class LeaseSpec {
  private final AcquireSetItem item;

  private LeaseSpec(String key, Mode mode, int weight) {
    this.item = AcquireSetItem.newBuilder().setKey(key).setMode(mode).setWeight(weight).build();
  }

  public static LeaseSpec exclusive(String key) {
    return new LeaseSpec(key, Mode.MODE_EXCLUSIVE, 0);
  }

  /** Beside other shared holders. */
  public static LeaseSpec shared(String key) {
    return new LeaseSpec(key, Mode.MODE_SHARED, 0);
  }

  /** So many permits of a semaphore. */
  public static LeaseSpec permits(String key, int weight) {
    return new LeaseSpec(key, Mode.MODE_SEMAPHORE, weight);
  }

  AcquireSetItem item() {
    return item;
  }
}
