package dev.plinth.client.lease;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.DeadlockException;
import dev.plinth.client.ResourceExhaustedException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.OwnerIdGenerator;
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
  private final LeaseAcquirer acquirer;

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
    this.acquirer = new LeaseAcquirer(namespace, runtime, sessions);
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
   * Takes the key, waiting in line for it if need be; empty if the wait, at most 1 h, ran out.
   *
   * @throws DeadlockException if it could never have been had
   * @throws ResourceExhaustedException if the line is full, or a limit of the namespace's is
   *     reached
   * @throws CallFailedException if the server refused the request or did not answer
   */
  public Optional<LeaseHandle> acquire(String key, Duration wait) throws InterruptedException {
    return acquire(key, wait, AcquireOptions.defaults());
  }

  public Optional<LeaseHandle> acquire(String key, Duration wait, AcquireOptions options)
      throws InterruptedException {
    AcquireRequest wanted =
        options
            .request()
            .setNamespace(namespace)
            .setKey(key)
            .setOwnerId(ownerIds.of(options.owner()))
            .build();
    return acquirer.grant(new KeyAcquisition(wanted, handles(options)), wait);
  }

  /** Takes 1 to 32 keys in one step, or none of them; as {@link #acquire} in all else. */
  public Optional<LeaseSet> acquireSet(List<LeaseSpec> wants, Duration wait)
      throws InterruptedException {
    return acquireSet(wants, wait, AcquireOptions.defaults());
  }

  /**
   * @param options for the set as a whole; how each key is taken stands in its want
   */
  public Optional<LeaseSet> acquireSet(List<LeaseSpec> wants, Duration wait, AcquireOptions options)
      throws InterruptedException {
    AcquireSetRequest wanted =
        options
            .setRequest()
            .setNamespace(namespace)
            .addAllItems(wants.stream().map(LeaseSpec::item).toList())
            .setOwnerId(ownerIds.of(options.owner()))
            .build();
    return acquirer.grant(new KeySetAcquisition(wanted, handles(options)), wait);
  }

  /**
   * The key to this namespace's session, on which all that is taken here hangs; opens one if there
   * is none. Kept in a safe place, it lets the next process {@link #resume}.
   */
  public SessionCredentials sessionCredentials() throws InterruptedException {
    return sessions.current(namespace, runtime.deadline()).key();
  }

  /**
   * Goes on with the session of a process that is no more, within its ttl: its leases were never
   * free, and keep their tokens. Before anything else is taken in the namespace. Leadership is had
   * again by standing under the same candidate's name.
   *
   * @return the leases that the session holds
   * @throws CallFailedException with the reason SESSION_EXPIRED if it has ended
   */
  public List<LeaseHandle> resume(SessionCredentials key) throws InterruptedException {
    NamespaceSessions.Resumed resumed = sessions.resume(namespace, key, runtime.deadline());
    sessions.tokens().resumed(resumed.held());
    List<Lease> held =
        resumed.held().stream().filter(lease -> !lease.getKey().startsWith(ELECTIONS)).toList();
    held.forEach(lease -> ownerIds.skip(lease.getOwnerId()));
    LeaseHandleFactory handles = new LeaseHandleFactory(runtime, false);
    return held.stream().map(lease -> handles.of(lease, resumed.session())).toList();
  }

  private LeaseHandleFactory handles(AcquireOptions options) {
    return new LeaseHandleFactory(runtime, options.owner().isPresent());
  }
}
