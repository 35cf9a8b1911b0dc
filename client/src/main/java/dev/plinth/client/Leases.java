package dev.plinth.client;

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
public final class Leases {
  private static final String ELECTIONS = "election/";

  private final String namespace;
  private final Wiring wiring;
  private final Owners owners;
  private final Asking asking;

  Leases(String namespace, Wiring wiring, Owners owners) {
    this.namespace = namespace;
    this.wiring = wiring;
    this.owners = owners;
    this.asking = new Asking(namespace, wiring);
  }

  /**
   * Takes the key if nobody holds it.
   *
   * @throws CallFailed if the server refused the request or did not answer
   */
  public Optional<LeaseHandle> tryAcquire(String key) throws InterruptedException {
    return tryAcquire(key, AcquireOptions.usual());
  }

  public Optional<LeaseHandle> tryAcquire(String key, AcquireOptions options)
      throws InterruptedException {
    return acquire(key, Duration.ZERO, options);
  }

  /**
   * Takes the key, waiting in line for it if need be; empty if the wait, at most 1 h, ran out.
   *
   * @throws Deadlocked if it could never have been had
   * @throws LimitReached if the line is full, or a limit of the namespace's is reached
   * @throws CallFailed if the server refused the request or did not answer
   */
  public Optional<LeaseHandle> acquire(String key, Duration wait) throws InterruptedException {
    return acquire(key, wait, AcquireOptions.usual());
  }

  public Optional<LeaseHandle> acquire(String key, Duration wait, AcquireOptions options)
      throws InterruptedException {
    AcquireRequest wanted =
        options
            .request()
            .setNamespace(namespace)
            .setKey(key)
            .setOwnerId(owners.of(options))
            .build();
    return asking.grant(new KeyWish(wanted, handles(options)), wait);
  }

  /** Takes 1 to 32 keys in one step, or none of them; as {@link #acquire} in all else. */
  public Optional<LeaseSet> acquireSet(List<Want> wants, Duration wait)
      throws InterruptedException {
    return acquireSet(wants, wait, AcquireOptions.usual());
  }

  /**
   * @param options for the set as a whole; how each key is taken stands in its want
   */
  public Optional<LeaseSet> acquireSet(List<Want> wants, Duration wait, AcquireOptions options)
      throws InterruptedException {
    AcquireSetRequest wanted =
        options
            .setRequest()
            .setNamespace(namespace)
            .addAllItems(wants.stream().map(Want::item).toList())
            .setOwnerId(owners.of(options))
            .build();
    return asking.grant(new SetWish(wanted, handles(options)), wait);
  }

  /**
   * The key to this namespace's session, on which all that is taken here hangs; opens one if there
   * is none. Kept in a safe place, it lets the next process {@link #resume}.
   */
  public SessionKey sessionKey() throws InterruptedException {
    return wiring.sessions().current(namespace, wiring.budget()).key();
  }

  /**
   * Goes on with the session of a process that is no more, within its ttl: its leases were never
   * free, and keep their tokens. Before anything else is taken in the namespace. Leadership is had
   * again by standing under the same candidate's name.
   *
   * @return the leases that the session holds
   * @throws CallFailed with the reason SESSION_EXPIRED if it has ended
   */
  public List<LeaseHandle> resume(SessionKey key) throws InterruptedException {
    Sessions.Resumed resumed = wiring.sessions().resume(namespace, key, wiring.budget());
    wiring.tokens().resumed(resumed.held());
    List<Lease> held =
        resumed.held().stream().filter(lease -> !lease.getKey().startsWith(ELECTIONS)).toList();
    held.forEach(lease -> owners.skip(lease.getOwnerId()));
    Handles handles = new Handles(wiring, false);
    return held.stream().map(lease -> handles.of(lease, resumed.session())).toList();
  }

  private Handles handles(AcquireOptions options) {
    return new Handles(wiring, options.party().isPresent());
  }
}
