package dev.plinth.client.partition;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.MembershipState;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.session.Membership;
import dev.plinth.registry.v1.Partition;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * This process's share of the partitions of a group, until it is closed. Each partition belongs to
 * one member at a time. It is revoked here, and the callback has returned, before anybody else can
 * have it; or, if the server cannot be reached, by this machine's monotonic clock before the server
 * can declare this process dead. A pause between looking and acting is not covered: for that the
 * token goes with each write.
 */
public final class SharedPartitions implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.client");

  private final Membership membership;
  private final PartitionHolder holder;
  private final PartitionOwners owners;
  private final ClientRuntime runtime;
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<Void> revoked = new CompletableFuture<>();
  private final CompletableFuture<Void> left = new CompletableFuture<>();

  SharedPartitions(
      Membership membership,
      PartitionHolder holder,
      PartitionOwners owners,
      ClientRuntime runtime) {
    this.membership = membership;
    this.holder = holder;
    this.owners = owners;
    this.runtime = runtime;
  }

  public String group() {
    return membership.name().getGroup();
  }

  /** This process, as others see it. */
  public String name() {
    return membership.name().getName();
  }

  public MembershipState state() {
    return membership.state();
  }

  /** The partitions that this process may act for now, by number. */
  public List<Owned> owned() {
    Collection<Owned> all = isMember() ? holder.owned().values() : List.of();
    return all.stream().sorted(Comparator.comparingInt(Owned::partition)).toList();
  }

  private boolean isMember() {
    return membership.state() != MembershipState.LOST && membership.incarnation() != 0;
  }

  /** Whether this process may act for the partition now. */
  public boolean owns(int partition) {
    return isMember() && holder.owned().containsKey(partition);
  }

  /**
   * The token of a partition, for the write that follows.
   *
   * @throws PartitionLostException if this process may not act for it
   */
  public long requireOwned(int partition) {
    Owned owned = holder.owned().get(partition);
    if (owned == null || !isMember()) {
      throw new PartitionLostException(group(), partition);
    }
    return owned.token();
  }

  /** As {@link #requireOwned}, for the partition of a key. */
  public long requireOwnerOf(String key) {
    return requireOwned(owners.partitionOf(key));
  }

  /** Who owns the partition of a key, as far as this process has heard. */
  public Optional<Partition> ownerOf(String key) {
    return owners.ownerOf(key);
  }

  /** Who owns what, as far as this process has heard. */
  public PartitionOwners owners() {
    return owners;
  }

  /**
   * Revokes all partitions, waits until the callbacks have returned, however long they take, and
   * leaves the group: then others get them.
   */
  @Override
  public void close() {
    if (closing.compareAndSet(false, true)) {
      owners.close();
      holder
          .revokeAll()
          .whenComplete(
              (done, thrown) -> {
                revoked.complete(null);
                membership.leave().whenComplete((gone, failed) -> left.complete(null));
              });
    }
    boolean interrupted = awaitRevoked();
    try {
      runtime.await(left, runtime.callDeadline());
    } catch (CallFailedException e) {
      log.log(Level.INFO, "partitions of {0} end with their session", group());
    } catch (InterruptedException e) {
      interrupted = true;
    }
    runtime.detach(this);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Not to be interrupted: what comes after this may end the session, and with it the shares. */
  private boolean awaitRevoked() {
    boolean interrupted = false;
    while (true) {
      try {
        runtime.machine().await(revoked);
        return interrupted;
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (ExecutionException e) {
        throw new IllegalStateException("it only ever ends well", e);
      }
    }
  }
}
