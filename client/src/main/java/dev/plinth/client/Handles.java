package dev.plinth.client;

import dev.plinth.lease.v1.Lease;

/** Makes handles of what was granted. */
record Handles(Wiring wiring, boolean reentrant) {
  LeaseHandle of(Lease lease, Session session) {
    return new LeaseHandle(
        lease, Hold.on(session, lease.getToken()), new Releases(wiring, session, reentrant));
  }
}
