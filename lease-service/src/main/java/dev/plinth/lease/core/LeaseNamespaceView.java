package dev.plinth.lease.core;

/** A namespace's rules and what there is of all they limit. */
public record LeaseNamespaceView(
    NamespacePolicy namespacePolicy,
    long version,
    int leases,
    int sessions,
    int waiters,
    int fences,
    int elections) {
  static final LeaseNamespaceView UNTOUCHED =
      new LeaseNamespaceView(NamespacePolicy.PLATFORM, 0, 0, 0, 0, 0, 0);

  /** The same with numbers that outlive whatever else a namespace has. */
  LeaseNamespaceView with(int fenceCount, int electionCount) {
    return new LeaseNamespaceView(
        namespacePolicy, version, leases, sessions, waiters, fenceCount, electionCount);
  }
}
