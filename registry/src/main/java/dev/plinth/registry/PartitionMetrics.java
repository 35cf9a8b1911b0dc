package dev.plinth.registry;

import dev.plinth.registry.partition.PartitionEvents;
import dev.plinth.server.ServiceMeters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;

/** Every meter of partitions. */
final class PartitionMetrics implements PartitionEvents {
  private final AtomicInteger groups;
  private final AtomicInteger groupMembers;
  private final AtomicInteger partitions;
  private final AtomicInteger free;
  private final AtomicInteger unreleased;
  private final AtomicInteger overdue;
  private final Counter assignments;
  private final Counter revocations;
  private final Counter releases;
  private final Counter orphaned;

  PartitionMetrics(MeterRegistry registry) {
    ServiceMeters meters = new ServiceMeters(registry, "plinth.registry.");
    groups = meters.gauge("partition.groups", "Partition groups");
    groupMembers = meters.gauge("partition.members", "Members that joined a partition group");
    partitions = meters.gauge("partitions", "Partitions of all groups");
    free = meters.gauge("partitions.free", "Partitions without an owner");
    unreleased =
        meters.gauge("partitions.unreleased", "Partitions that are revoked and not released yet");
    overdue = meters.gauge("partitions.overdue", "Partitions that are revoked for more than 30 s");
    assignments = meters.counter("partition.assignments", "Partitions that were assigned");
    revocations =
        meters.counter("partition.revocations", "Partitions that were revoked from their owner");
    releases = meters.counter("partition.releases", "Partitions that were released by their owner");
    orphaned =
        meters.counter(
            "partition.orphans", "Partitions whose owner left the group, was dead or had left");
  }

  @Override
  public void assigned() {
    assignments.increment();
  }

  @Override
  public void revoked() {
    revocations.increment();
  }

  @Override
  public void released() {
    releases.increment();
  }

  @Override
  public void orphaned() {
    orphaned.increment();
  }

  @Override
  public void groups(int change) {
    groups.addAndGet(change);
  }

  @Override
  public void groupMembers(int change) {
    groupMembers.addAndGet(change);
  }

  @Override
  public void partitions(int change) {
    partitions.addAndGet(change);
  }

  @Override
  public void free(int change) {
    free.addAndGet(change);
  }

  @Override
  public void unreleased(int change) {
    unreleased.addAndGet(change);
  }

  @Override
  public void overdue(int change) {
    overdue.addAndGet(change);
  }
}
