package dev.plinth.registry.partition;

import dev.plinth.shards.RowReader;
import dev.plinth.shards.RowWriter;

/**
 * The rows of partition groups. Of a group: how many partitions it has. Of a member, by the token
 * of its join: name, session, and whether it is there. Of a partition that has an owner: the
 * owner's number, the token, whether it is revoked, since when.
 *
 * <pre>
 * registry/g/default/orders:               v1 16
 * registry/j/default/orders/8388608:       v1 web-7 s-1abc JOINED
 * registry/p/default/orders/0003:          v1 8388608 12582912 ASSIGNED 1767225600000
 * </pre>
 */
final class PartitionRows {
  static final String GROUPS = "registry/g/";
  static final String MEMBERS = "registry/j/";
  static final String PARTITIONS = "registry/p/";

  private PartitionRows() {}

  static String keyOf(PartitionGroupName group) {
    return GROUPS + group.path();
  }

  static byte[] encode(int count) {
    return RowWriter.row().number(count).bytes();
  }

  static String keyOf(PartitionMember member) {
    return MEMBERS + member.key.group().path() + "/" + member.id;
  }

  static byte[] encode(PartitionMember member) {
    return RowWriter.row()
        .text(member.key.name())
        .word(member.key.sessionId())
        .word(member.state)
        .bytes();
  }

  /** The group that a row of a member or partition is in. */
  static PartitionGroupName groupOf(RowReader row) {
    return PartitionGroupName.ofPath(row.key().substring(0, row.key().lastIndexOf('/')));
  }

  /** The number of a member or partition. */
  static long numberOf(RowReader row) {
    return Long.parseLong(row.key().substring(row.key().lastIndexOf('/') + 1));
  }

  static PartitionMember member(RowReader row, PartitionGroup group) {
    PartitionMemberKey key = new PartitionMemberKey(group.name, row.text(), row.word());
    return new PartitionMember(
        numberOf(row), key, group, PartitionMember.State.valueOf(row.word()));
  }

  static String keyOf(PartitionGroupName group, Partition partition) {
    return "%s%s/%04d".formatted(PARTITIONS, group.path(), partition.number);
  }

  static byte[] encode(Partition partition) {
    return RowWriter.row()
        .number(partition.owner.id)
        .number(partition.token)
        .word(partition.state)
        .number(partition.since.toEpochMilli())
        .bytes();
  }

  /**
   * @param row after the owner's number
   */
  static void read(RowReader row, Partition partition, PartitionMember owner) {
    partition.owner = owner;
    partition.token = row.number();
    partition.state = PartitionState.valueOf(row.word());
    partition.since = row.instant();
  }
}
