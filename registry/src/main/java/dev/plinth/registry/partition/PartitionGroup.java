package dev.plinth.registry.partition;

import dev.plinth.shards.Tx;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One group: its partitions and their hand-over. What follows from a change of the members is done
 * in steps of at most 64 rows, each a commit of its own. Between two of them every partition has at
 * most one owner, and a new owner of the shard goes on from any of them, since what is left to do
 * follows from the rows alone.
 */
final class PartitionGroup {
  // A store bounds the rows of one commit.
  static final int MAX_WRITES = 64;

  final PartitionGroupName name;
  final Partition[] partitions;
  final PartitionSharers sharers;
  private final PartitionEvents events;
  private final Supplier<Instant> time;
  private final Consumer<PartitionGroup> whenEnded;
  private final UnreleasedPartitions unreleased;
  private final ChangedPartitions changed;
  private final TreeSet<Partition> free = new TreeSet<>(Comparator.comparingInt(Partition::number));

  /** Partitions of members that ended. */
  private final Deque<Partition> orphans = new ArrayDeque<>();

  private boolean stepIsDue;
  private boolean ended;

  /**
   * @param time the wall clock's, as exact as rows are
   * @param whenEnded told when its last member is gone
   */
  PartitionGroup(
      PartitionGroupName name,
      int count,
      PartitionEvents events,
      Supplier<Instant> time,
      Consumer<PartitionGroup> whenEnded) {
    this.name = name;
    this.events = events;
    this.time = time;
    this.whenEnded = whenEnded;
    this.sharers = new PartitionSharers(count, events);
    this.unreleased = new UnreleasedPartitions(events);
    this.changed = new ChangedPartitions(name);
    this.partitions = new Partition[count];
    for (int i = 0; i < count; i++) {
      partitions[i] = new Partition(i);
      free.add(partitions[i]);
    }
    events.groups(1);
    events.partitions(count);
    events.free(count);
  }

  PartitionGroupSummary summary() {
    return new PartitionGroupSummary(
        partitions.length, sharers.joined(), unreleased.count(), unreleased.overdue());
  }

  /** On load, one that has an owner. */
  void restore(Partition partition, Tx tx) {
    free.remove(partition);
    events.free(-1);
    PartitionMember owner = partition.owner;
    if (owner.state == PartitionMember.State.ENDED) {
      owner.orphans++;
      orphans.add(partition);
    } else if (partition.state == PartitionState.REVOKED) {
      owner.revoked.add(partition);
      unreleased.add(partition, tx);
    } else {
      sharers.keep(owner, partition);
    }
  }

  /** It is to have its share from now on. */
  void join(PartitionMember member, Tx tx) {
    put(member, tx);
    sharers.add(member);
    step(tx);
  }

  /** A superseded member that has its name again. */
  void rejoin(PartitionMember member, boolean draining, Tx tx) {
    sharers.remove(member);
    member.draining = draining;
    member.state = PartitionMember.State.JOINED;
    join(member, tx);
  }

  void drain(PartitionMember member, boolean draining, Tx tx) {
    if (member.draining != draining) {
      sharers.drain(member, draining);
      stepLater(tx);
    }
  }

  /** Another session has its name. Its process may still act for what it owns, so it keeps that. */
  void supersede(PartitionMember member, Tx tx) {
    sharers.remove(member);
    member.state = PartitionMember.State.SUPERSEDED;
    if (member.owned() == 0) {
      tx.delete(PartitionRows.keyOf(member));
    } else {
      put(member, tx);
      sharers.add(member);
    }
    stepLater(tx);
  }

  /** Nobody acts for what it owns any more: others get it, in steps. */
  void end(PartitionMember member, Tx tx) {
    orphan(member);
    if (member.orphans == 0) {
      tx.delete(PartitionRows.keyOf(member));
    } else {
      put(member, tx);
    }
    stepLater(tx);
  }

  /** The same where the store says it already, since the row of its session is gone. */
  void endWithSession(PartitionMember member, Tx tx) {
    orphan(member);
    stepLater(tx);
  }

  private void orphan(PartitionMember member) {
    sharers.remove(member);
    member.state = PartitionMember.State.ENDED;
    member.revoked.forEach(unreleased::remove);
    member.orphans = member.owned();
    orphans.addAll(member.kept);
    orphans.addAll(member.revoked);
    member.kept.clear();
    member.revoked.clear();
  }

  private static void put(PartitionMember member, Tx tx) {
    tx.put(PartitionRows.keyOf(member), PartitionRows.encode(member));
  }

  /** An owner lets go of revoked partitions; whoever is next gets them. */
  PartitionReleases release(PartitionMember member, List<PartitionToken> released, Tx tx) {
    List<ReleaseOutcome> outcomes = new ArrayList<>();
    for (PartitionToken token : released) {
      outcomes.add(release(member, token));
    }
    if (member.state == PartitionMember.State.SUPERSEDED && member.owned() == 0) {
      sharers.remove(member);
      tx.delete(PartitionRows.keyOf(member));
    }
    int revoked = member.revoked.size();
    if (outcomes.contains(ReleaseOutcome.RELEASED)) {
      step(tx);
    }
    return new PartitionReleases(outcomes, revoked);
  }

  private ReleaseOutcome release(PartitionMember member, PartitionToken token) {
    Partition partition =
        token.partition() < partitions.length ? partitions[token.partition()] : null;
    if (partition == null || partition.owner != member || partition.token != token.token()) {
      return ReleaseOutcome.NOT_OWNED;
    }
    if (partition.state != PartitionState.REVOKED) {
      return ReleaseOutcome.NOT_REVOKED;
    }
    member.revoked.remove(partition);
    unreleased.remove(partition);
    free(partition);
    events.released();
    return ReleaseOutcome.RELEASED;
  }

  void stepLater(Tx tx) {
    if (!stepIsDue) {
      stepIsDue = true;
      tx.at(
          tx.nanos(),
          later -> {
            stepIsDue = false;
            if (!ended) {
              step(later);
            }
          });
    }
  }

  /** Does what is left to do, as much of it as one commit takes. */
  private void step(Tx tx) {
    boolean done = adopt(tx) && (!sharers.hasTaker() || assign(tx) && revoke(tx));
    if (done && sharers.size() == 0) {
      ended = true;
      tx.delete(PartitionRows.keyOf(name));
      removeFromGauges();
      whenEnded.accept(this);
    }
    changed.store(ended ? 0 : partitions.length, tx);
    if (!done) {
      stepLater(tx);
    }
  }

  /** False if there is more of it than fits, as with the next two. */
  private boolean adopt(Tx tx) {
    while (!orphans.isEmpty()) {
      if (changed.isFull(orphans.element(), tx)) {
        return false;
      }
      Partition partition = orphans.remove();
      PartitionMember last = partition.owner;
      if (sharers.hasTaker()) {
        assign(partition, tx);
      } else {
        free(partition);
      }
      events.orphaned();
      if (--last.orphans == 0) {
        tx.delete(PartitionRows.keyOf(last));
      }
    }
    return true;
  }

  private boolean assign(Tx tx) {
    while (!free.isEmpty()) {
      if (changed.isFull(free.first(), tx)) {
        return false;
      }
      events.free(-1);
      assign(free.pollFirst(), tx);
    }
    return true;
  }

  private boolean revoke(Tx tx) {
    for (PartitionMember from = sharers.nextGiver(); from != null; from = sharers.nextGiver()) {
      Partition newest = from.kept.last();
      if (changed.isFull(newest, tx)) {
        return false;
      }
      changed.add(newest);
      sharers.revoke(from, newest);
      newest.state = PartitionState.REVOKED;
      newest.since = time.get();
      unreleased.add(newest, tx);
      events.revoked();
    }
    return true;
  }

  private void assign(Partition partition, Tx tx) {
    changed.add(partition);
    PartitionMember taker = sharers.nextTaker();
    partition.owner = taker;
    partition.token = tx.token();
    partition.state = PartitionState.ASSIGNED;
    partition.since = time.get();
    sharers.keep(taker, partition);
    events.assigned();
  }

  private void free(Partition partition) {
    changed.add(partition);
    partition.owner = null;
    partition.token = 0;
    partition.state = PartitionState.FREE;
    free.add(partition);
    events.free(1);
  }

  void removeFromGauges() {
    events.groups(-1);
    events.partitions(-partitions.length);
    events.free(-free.size());
    events.groupMembers(-sharers.joined());
    unreleased.removeFromGauges();
  }
}
