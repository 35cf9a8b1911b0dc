package dev.plinth.shards.store.etcd;

import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/** What the parts of one store share: settings, monotonic clock, background thread, meters. */
record Setup(
    EtcdSettings settings,
    LongSupplier nanos,
    ScheduledExecutorService scheduler,
    StoreMetrics metrics) {}
