package dev.plinth.registry.grpc;

import dev.plinth.registry.partition.PartitionGroupName;
import dev.plinth.registry.partition.PartitionMemberKey;
import dev.plinth.registry.partition.PartitionState;
import dev.plinth.registry.partition.PartitionView;
import dev.plinth.registry.v1.Partition;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.WireEnum;

/** What requests about partitions have in common, checked, and the core's terms on the wire. */
final class PartitionWire {
  private static final WireEnum<PartitionState, dev.plinth.registry.v1.PartitionState> STATES =
      new WireEnum<>(
          PartitionState.class, dev.plinth.registry.v1.PartitionState.class, "PARTITION_STATE_");

  private PartitionWire() {}

  static PartitionGroupName group(String namespace, String group) {
    return new PartitionGroupName(namespace, RegistryWire.group(group));
  }

  static PartitionMemberKey member(String namespace, String group, String name, String session) {
    return RegistryWire.name(namespace, group, name).partitionKey(RegistryWire.sessionId(session));
  }

  /** Empty for any. */
  static String anyOwner(String value) {
    return FieldChecks.optionalName("owner", value, RegistryWire.MAX_NAME);
  }

  static Partition partition(PartitionView view) {
    Partition.Builder partition =
        Partition.newBuilder()
            .setPartition(view.partition())
            .setState(STATES.of(view.state()))
            .setOwner(view.owner())
            .setSessionId(view.sessionId())
            .setToken(view.token())
            .setOverdue(view.overdue());
    view.since().map(FieldChecks::wire).ifPresent(partition::setStateSince);
    return partition.build();
  }

  /** As watchers are told. */
  static Partition watched(PartitionView view) {
    return partition(view).toBuilder().clearOverdue().build();
  }
}
