package dev.plinth.registry.partition;

/** A partition group: it has the name of the group of members that share its partitions. */
public record PartitionGroupName(String namespace, String group) {
  /** What no other group has; neither part has a slash. */
  public String path() {
    return namespace + "/" + group;
  }

  static PartitionGroupName ofPath(String path) {
    String[] parts = path.split("/", 2);
    return new PartitionGroupName(parts[0], parts[1]);
  }
}
