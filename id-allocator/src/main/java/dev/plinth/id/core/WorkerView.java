package dev.plinth.id.core;

import java.time.Duration;

/** A worker id in somebody's hands: its ids carry times above the floor, up to the ceiling. */
public record WorkerView(
    int worker,
    long epoch,
    long floorMs,
    long ceilingMs,
    Duration ttl,
    SnowflakeBitLayout snowflakeBitLayout,
    Duration maxAhead) {}
