package dev.plinth.client.lease;

import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.session.ClientSession;
import dev.plinth.client.internal.session.LeaseReleaser;
import dev.plinth.client.internal.session.LocalLease;
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
