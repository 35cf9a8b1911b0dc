package dev.plinth.client.config;

/** How far an agent is in a group: what is greater comes later, the epoch first. */
record GroupPosition(long epoch, long generation) implements Comparable<GroupPosition> {
  static final GroupPosition NONE = new GroupPosition(0, 0);

  @Override
  public int compareTo(GroupPosition other) {
    return epoch != other.epoch
        ? Long.compare(epoch, other.epoch)
        : Long.compare(generation, other.generation);
  }
}
