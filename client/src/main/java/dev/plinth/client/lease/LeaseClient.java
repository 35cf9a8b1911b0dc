package dev.plinth.client.lease;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.DeadlockException;
import dev.plinth.client.ResourceExhaustedException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.OwnerIdGenerator;
import dev.plinth.client.internal.session.ClientSession;
import dev.plinth.client.internal.session.LeaseReleaser;
import dev.plinth.client.internal.session.LocalLease;
import dev.plinth.client.internal.session.NamespaceSessions;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The leases of one namespace. Each handle is an owner of its own, so two threads of one client
 * exclude each other as two clients do; {@link AcquireOptions#reentrant} is for those who want
 * otherwise.
 *
 * <p>A call that got no answer, or was interrupted, may have been granted at the server. The client
 * finds out in the background, and gives back what nobody is going to use.
 */
public final class LeaseClient {
  private static final String ELECTIONS = "election/";

  private final String namespace;
  private final ClientRuntime runtime;
  private final NamespaceSessions sessions;
  private final OwnerIdGenerator ownerIds;

  /** For the client itself; applications have {@link dev.plinth.client.PlinthClient#leases}. */
  public LeaseClient(
      String namespace,
      ClientRuntime runtime,
      NamespaceSessions sessions,
      OwnerIdGenerator ownerIds) {
    this.namespace = namespace;
    this.runtime = runtime;
    this.sessions = sessions;
    this.ownerIds = ownerIds;
  }

  /**
   * Takes the key if nobody holds it.
   *
   * @throws CallFailedException if the server refused the request or did not answer
   */
  public Optional<LeaseHandle> tryAcquire(String key) throws InterruptedException {
    return tryAcquire(key, AcquireOptions.defaults());
  }

  public Optional<LeaseHandle> tryAcquire(String key, AcquireOptions options)
      throws InterruptedException {
    return acquire(key, Duration.ZERO, options);
  }

  /**
   * Takes the key, waiting in its queue if need be; empty if the wait, at most 1 h, ran out.
   *
   * @throws DeadlockException if it could never have been had
   * @throws ResourceExhaustedException if the queue is full, or a limit of the namespace's is
   *     reached
   * @throws CallFailedException if the server refused the request or did not answer
   */
  public Optional<LeaseHandle> acquire(String key, Duration wait) throws InterruptedException {
    return acquire(key, wait, AcquireOptions.defaults());
  }

  public Optional<LeaseHandle> acquire(String key, Duration wait, AcquireOptions options)
      throws InterruptedException {
    AcquireRequest spec =
        options
            .request()
            .setNamespace(namespace)
            .setKey(key)
            .setOwnerId(ownerIds.of(options.owner()))
            .build();
    return acquirer(options).acquire(Acquisition.of(spec, runtime::newRequestId), wait).stream()
        .findFirst();
  }

  /** Takes 1 to 32 keys in one step, or none of them; as {@link #acquire} in all else. */
  public Optional<LeaseSet> acquireSet(List<LeaseSpec> keys, Duration wait)
      throws InterruptedException {
    return acquireSet(keys, wait, AcquireOptions.defaults());
  }

  /**
   * @param options for the set as a whole; how each key is taken stands in its spec
   */
  public Optional<LeaseSet> acquireSet(List<LeaseSpec> keys, Duration wait, AcquireOptions options)
      throws InterruptedException {
    AcquireSetRequest spec =
        options
            .setRequest()
            .setNamespace(namespace)
            .addAllItems(keys.stream().map(LeaseSpec::item).toList())
            .setOwnerId(ownerIds.of(options.owner()))
            .build();
    List<LeaseHandle> granted =
        acquirer(options).acquire(Acquisition.of(spec, runtime::newRequestId), wait);
    return granted.isEmpty() ? Optional.empty() : Optional.of(new LeaseSet(granted));
  }

  /**
   * The key to this namespace's session, on which all that is taken here hangs; opens one if there
   * is none. Kept in a safe place, it lets the next process {@link #resume}.
   */
  public SessionCredentials sessionCredentials() throws InterruptedException {
    ClientSession session = sessions.current(namespace, runtime.deadline());
    return new SessionCredentials(session.id(), session.secret());
  }

  /**
   * Resumes the session of a process that is no more, within its ttl: its leases were never free,
   * and keep their tokens. Before anything else is taken in the namespace. Leadership is had again
   * by standing under the same candidate's name.
   *
   * @return the leases that the session holds
   * @throws CallFailedException with the reason SESSION_EXPIRED if it has ended
   */
  public List<LeaseHandle> resume(SessionCredentials key) throws InterruptedException {
    NamespaceSessions.Resumed resumed =
        sessions.resume(namespace, key.id(), key.secret(), runtime.deadline());
    sessions.tokens().resumed(resumed.held());
    List<Lease> held =
        resumed.held().stream().filter(lease -> !lease.getKey().startsWith(ELECTIONS)).toList();
    held.forEach(lease -> ownerIds.skip(lease.getOwnerId()));
    LeaseReleaser releaser = new LeaseReleaser(runtime, resumed.session(), false);
    return held.stream()
        .map(lease -> new LeaseHandle(LocalLease.on(resumed.session(), lease, releaser)))
        .toList();
  }

  private LeaseAcquirer acquirer(AcquireOptions options) {
    return new LeaseAcquirer(namespace, runtime, sessions, options.owner().isPresent());
  }
}
