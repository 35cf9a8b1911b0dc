package dev.plinth.registry.partition;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/** The members of a group: who is to get the next partition, and who is to give one. */
final class PartitionSharers {
  private final PartitionEvents events;
  private final Map<PartitionMemberKey, PartitionMember> members = new HashMap<>();
  private final PartitionBalance balance;

  /** Members that keep something and are to give it all: draining and superseded ones. */
  private final TreeSet<PartitionMember> giving =
      new TreeSet<>(Comparator.comparingLong(PartitionMember::id));

  private int superseded;

  PartitionSharers(int partitions, PartitionEvents events) {
    this.events = events;
    this.balance = new PartitionBalance(partitions);
  }

  PartitionMember find(PartitionMemberKey key) {
    return members.get(key);
  }

  int size() {
    return members.size();
  }

  /** Those that have joined and have their name. */
  int joined() {
    return members.size() - superseded;
  }

  boolean hasTaker() {
    return !balance.isEmpty();
  }

  PartitionMember nextTaker() {
    return balance.fewest();
  }

  /** Null if nobody is to give one. */
  PartitionMember nextGiver() {
    if (!giving.isEmpty()) {
      return giving.first();
    }
    return balance.isUneven() ? balance.most() : null;
  }

  /** Adds one that has not ended. */
  void add(PartitionMember member) {
    members.put(member.key, member);
    if (member.state == PartitionMember.State.SUPERSEDED) {
      superseded++;
    } else {
      events.groupMembers(1);
    }
    place(member);
  }

  /** Before its state changes; what it owns stays with it. */
  void remove(PartitionMember member) {
    unplace(member);
    members.remove(member.key);
    if (member.state == PartitionMember.State.SUPERSEDED) {
      superseded--;
    } else {
      events.groupMembers(-1);
    }
  }

  void drain(PartitionMember member, boolean draining) {
    unplace(member);
    member.draining = draining;
    place(member);
  }

  void keep(PartitionMember member, Partition partition) {
    unplace(member);
    member.kept.add(partition);
    place(member);
  }

  void revoke(PartitionMember member, Partition partition) {
    unplace(member);
    member.kept.remove(partition);
    member.revoked.add(partition);
    place(member);
  }

  private void place(PartitionMember member) {
    if (member.takesWork()) {
      balance.add(member);
    } else if (!member.kept.isEmpty()) {
      giving.add(member);
    }
  }

  /** Before its state or what it keeps changes. */
  private void unplace(PartitionMember member) {
    if (member.takesWork()) {
      balance.remove(member);
    } else {
      giving.remove(member);
    }
  }
}
