package dev.plinth.client;

import dev.plinth.lease.v1.Lease;

/** Makes handles of what was granted. */
record LeaseHandleFactory(ClientRuntime runtime, boolean reentrant) {
  LeaseHandle of(Lease lease, ClientSession clientSession) {
    return new LeaseHandle(
        lease,
        LocalLease.on(clientSession, lease.getToken()),
        new LeaseReleaser(runtime, clientSession, reentrant));
  }
}
