package dev.plinth.shards;

import static dev.plinth.server.settings.InvalidSettingException.unlessBetween;

import dev.plinth.server.settings.ByteSize;
import dev.plinth.server.settings.Setting;
import java.time.Duration;

/** How shards are run. */
public record ShardsSettings(
    @Setting(
            meaning = "Shards that keys are spread over; fixed for the life of the data",
            byDefault = "16")
        int count,
    @Setting(meaning = "Threads that run shards; 0 is one a core", byDefault = "0") int threads,
    @Setting(
            meaning = "Commands that may queue at one shard before new ones are refused",
            byDefault = "10000")
        int queue,
    @Setting(
            meaning = "How long the answer to a request with an effect is known by its id",
            byDefault = "10m")
        Duration requestRetention,
    @Setting(
            meaning =
                "Memory of this node for those answers; once it is full, new requests are refused."
                    + " 0B is a quarter of the heap, 512MiB at most",
            byDefault = "0B")
        ByteSize requestMemory,
    @Setting(meaning = "How often watchers hear that nothing was missed", byDefault = "5s")
        Duration progressInterval,
    @Setting(
            meaning = "Longest that a call waits for a shard that moves from node to node",
            byDefault = "5s")
        Duration moveWait,
    @Setting(
            meaning =
                "How often the data was restored from a backup; one more after each time, so that"
                    + " fencing tokens go on rising. Kept with the data once it was given",
            byDefault = "0")
        int generation) {

  private static final ByteSize LEAST_REQUEST_MEMORY = new ByteSize(1 << 20);
  private static final ByteSize MOST_REQUEST_MEMORY = new ByteSize(1L << 40);

  public ShardsSettings {
    unlessBetween("count", count, 1, 1 << FencingTokens.SHARD_BITS);
    unlessBetween("threads", threads, 0, 1024);
    unlessBetween("queue", queue, 1, 10_000_000);
    unlessBetween("requestRetention", requestRetention, Duration.ofMinutes(10), Duration.ofDays(1));
    if (requestMemory.bytes() != 0) {
      unlessBetween("requestMemory", requestMemory, LEAST_REQUEST_MEMORY, MOST_REQUEST_MEMORY);
    }
    unlessBetween("progressInterval", progressInterval, Duration.ofMillis(10), Duration.ofHours(1));
    unlessBetween("generation", generation, 0, Generation.MAX);
    unlessBetween("moveWait", moveWait, Duration.ZERO, Duration.ofMinutes(1));
  }

  int loops() {
    return Math.min(count, threads == 0 ? Runtime.getRuntime().availableProcessors() : threads);
  }
}
