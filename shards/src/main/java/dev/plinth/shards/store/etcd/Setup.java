package dev.plinth.shards.store.etcd;

import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/** What the parts of one store share: settings, clocks, background thread, meters. */
record Setup(
    EtcdSettings settings,
    LongSupplier nanos,
    InstantSource wall,
    ScheduledExecutorService scheduler,
    StoreMetrics metrics) {
  Moment now() {
    return new Moment(nanos.getAsLong(), wall.millis());
  }
}
