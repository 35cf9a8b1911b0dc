package dev.plinth.client.partition;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.MemberNameTakenException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.session.Membership;
import dev.plinth.client.internal.session.RegistrySessions;
import dev.plinth.client.member.JoinOptions;
import dev.plinth.registry.v1.RegisterRequest;
import java.util.function.Consumer;

/** How to share the partitions of a group. */
public final class PartitionsBuilder {
  private final String namespace;
  private final String group;
  private final int count;
  private final ClientRuntime runtime;
  private final RegistrySessions sessions;
  private JoinOptions options = JoinOptions.defaults();
  private Consumer<Owned> onAssigned = owned -> {};
  private Consumer<Owned> onRevoked = owned -> {};

  /** For the client itself; applications have {@code PlinthClient.partitions}. */
  public PartitionsBuilder(
      String namespace, String group, int count, ClientRuntime runtime, RegistrySessions sessions) {
    this.namespace = namespace;
    this.group = group;
    this.count = count;
    this.runtime = runtime;
    this.sessions = sessions;
  }

  /** What this process is to others. Its drain delay is not used: nobody sends it work by name. */
  public PartitionsBuilder as(JoinOptions member) {
    options = member;
    return this;
  }

  /**
   * Each time a partition is this process's. Calls for one partition follow each other; those for
   * different ones may run side by side.
   */
  public PartitionsBuilder onAssigned(Consumer<Owned> task) {
    onAssigned = task;
    return this;
  }

  /**
   * Each time a partition must be let go of. Nobody else gets it before this has returned, unless
   * the server cannot be reached until it declares this process dead: then what is left is a tenth
   * of the ttl at least. One that throws has returned.
   */
  public PartitionsBuilder onRevoked(Consumer<Owned> task) {
    onRevoked = task;
    return this;
  }

  /**
   * Joins the group and takes a share. Returns when this process is in it; partitions follow.
   *
   * @throws MemberNameTakenException if another process has the name
   * @throws CallFailedException if the server refused it, as with another number of partitions, or
   *     did not answer
   */
  public SharedPartitions join() throws InterruptedException {
    RegisterRequest member = options.request(namespace, group, runtime.owner());
    PartitionCallbacks callbacks =
        new PartitionCallbacks(runtime.environment().callbacks(), onAssigned, onRevoked);
    PartitionHolder holder = new PartitionHolder(member, count, runtime, callbacks);
    PartitionOwners owners =
        new PartitionOwners(namespace, group, count, runtime, holder::onChange);
    Membership membership = new Membership(member, runtime, sessions.of(namespace), holder);
    SharedPartitions partitions = new SharedPartitions(membership, holder, owners, runtime);
    runtime.attach(partitions);
    boolean joined = false;
    try {
      owners.open();
      runtime.await(
          membership.begin().thenCompose(registered -> holder.joined()),
          runtime.operationTimeout());
      joined = true;
      return partitions;
    } finally {
      if (!joined) {
        partitions.close();
      }
    }
  }

  /** Follows who owns what, without taking a share. Returns when it is known. */
  public PartitionOwners observe() throws InterruptedException {
    PartitionOwners owners = new PartitionOwners(namespace, group, count, runtime, changed -> {});
    owners.begin(runtime.deadline());
    return owners;
  }
}
