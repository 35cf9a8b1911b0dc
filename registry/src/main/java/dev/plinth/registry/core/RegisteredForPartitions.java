package dev.plinth.registry.core;

import dev.plinth.registry.partition.PartitionGroups.RegisteredMembers;
import dev.plinth.registry.partition.PartitionMemberKey;

/** What loaded partitions must know of loaded members. */
record RegisteredForPartitions(MemberTable table) implements RegisteredMembers {
  @Override
  public boolean isOpen(String namespace, String sessionId) {
    return table.find(namespace).map(space -> space.sessions.get(sessionId)).isPresent();
  }

  @Override
  public boolean isDraining(PartitionMemberKey key) {
    MemberName name = new MemberName(key.group().namespace(), key.group().group(), key.name());
    return table.there(name).map(member -> member.draining).orElse(false);
  }
}
