package dev.plinth.registry.core;

import dev.plinth.registry.partition.PartitionGroupName;
import dev.plinth.registry.partition.PartitionMemberKey;

/** A member's place: a namespace, a group in it, and a name in that. */
public record MemberName(String namespace, String group, String member) {
  /** What no other member has; groups and namespaces have no slash. */
  String path() {
    return namespace + "/" + group + "/" + member;
  }

  /** As which a member of this name may have joined a partition group in a session. */
  public PartitionMemberKey partitionKey(String sessionId) {
    return new PartitionMemberKey(new PartitionGroupName(namespace, group), member, sessionId);
  }

  static MemberName ofPath(String path) {
    String[] parts = path.split("/", 3);
    return new MemberName(parts[0], parts[1], parts[2]);
  }
}
