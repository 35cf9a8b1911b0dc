package dev.plinth.shards.store.etcd;

import io.etcd.jetcd.maintenance.StatusResponse;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/**
 * How large each member's database is. What counts against the quota is the file, which compaction
 * leaves as long as it is; only defragmentation shortens it.
 */
final class MemberSizes {
  private final FailoverEtcdClient failoverEtcdClient;
  private final List<String> endpoints;
  private final Map<String, StatusResponse> last = new ConcurrentHashMap<>();

  MemberSizes(FailoverEtcdClient failoverEtcdClient, EtcdCluster cluster, MeterRegistry registry) {
    this.failoverEtcdClient = failoverEtcdClient;
    this.endpoints = cluster.endpoints();
    long quota = cluster.settings().quota().bytes();
    for (String member : endpoints) {
      Tags tags = Tags.of("member", member);
      gauge("plinth.etcd.db.bytes", member, StatusResponse::getDbSize)
          .description("Size of the member's database file")
          .tags(tags)
          .register(registry);
      gauge("plinth.etcd.db.in_use.bytes", member, StatusResponse::getDbSizeInUse)
          .description("Part of the file that holds data; the rest is free for reuse")
          .tags(tags)
          .register(registry);
      gauge("plinth.etcd.quota.left.bytes", member, status -> quota - status.getDbSize())
          .description("What the file may still grow before etcd takes no more writes")
          .tags(tags)
          .register(registry);
    }
  }

  private Gauge.Builder<?> gauge(
      String name, String member, ToDoubleFunction<StatusResponse> size) {
    return Gauge.builder(
        name,
        () -> {
          StatusResponse status = last.get(member);
          return status == null ? Double.NaN : size.applyAsDouble(status);
        });
  }

  /** One pass. A member that does not answer has no size. */
  void measure() {
    for (String member : endpoints) {
      failoverEtcdClient
          .status(member)
          .whenComplete(
              (status, failure) ->
                  last.compute(member, (name, before) -> failure == null ? status : null));
    }
  }
}
