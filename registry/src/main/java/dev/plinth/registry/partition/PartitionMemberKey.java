package dev.plinth.registry.partition;

/** A member of a group in one session: two processes that use the same name are told apart. */
public record PartitionMemberKey(PartitionGroupName group, String name, String sessionId) {
  @Override
  public String toString() {
    return group.path() + "/" + name + " of session " + sessionId;
  }
}
