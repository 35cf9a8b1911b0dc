package dev.plinth.shards;

import static dev.plinth.server.settings.InvalidSetting.unlessBetween;

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
    @Setting(meaning = "Answers that each shard remembers by request id", byDefault = "16384")
        int rememberedRequests,
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

  public ShardsSettings {
    unlessBetween("count", count, 1, 1 << Tokens.SHARD_BITS);
    unlessBetween("threads", threads, 0, 1024);
    unlessBetween("queue", queue, 1, 10_000_000);
    unlessBetween("rememberedRequests", rememberedRequests, 1, 10_000_000);
    unlessBetween("progressInterval", progressInterval, Duration.ofMillis(10), Duration.ofHours(1));
    unlessBetween("generation", generation, 0, Generation.MOST);
    unlessBetween("moveWait", moveWait, Duration.ZERO, Duration.ofMinutes(1));
  }

  int loops() {
    return Math.min(count, threads == 0 ? Runtime.getRuntime().availableProcessors() : threads);
  }
}
