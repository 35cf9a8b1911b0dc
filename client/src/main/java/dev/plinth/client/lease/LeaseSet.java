package dev.plinth.client.lease;

import java.util.List;

/** Keys that were taken in one step. They are held each for itself, and given back together. */
public final class LeaseSet implements AutoCloseable {
  private final List<LeaseHandle> leases;

  LeaseSet(List<LeaseHandle> leases) {
    this.leases = List.copyOf(leases);
  }

  /** In the order they were asked for. */
  public List<LeaseHandle> leases() {
    return leases;
  }

  public LeaseHandle lease(String key) {
    return leases.stream()
        .filter(lease -> lease.key().equals(key))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("key: " + key + " (expected: of the set)"));
  }

  @Override
  public void close() {
    leases.forEach(LeaseHandle::close);
  }
}
