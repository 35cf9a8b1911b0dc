package dev.plinth.ratelimit;

import static dev.plinth.server.settings.InvalidSetting.unlessBetween;

import dev.plinth.ratelimit.core.Tuning;
import dev.plinth.ratelimit.grpc.RateLimitNode;
import dev.plinth.server.settings.Setting;
import java.time.Duration;

/** How limits are decided. */
public record RateLimitSettings(
    @Setting(
            meaning =
                "How long a check waits for the store of budgets before its rules' fail modes"
                    + " decide",
            byDefault = "20ms")
        Duration storeBudget,
    @Setting(
            meaning =
                "Flushes to the store that may be under way at once; budgets are spread over"
                    + " them; more of them wait less, fewer share more",
            byDefault = "8")
        int lanes,
    @Setting(meaning = "Requests in one flush, at the most", byDefault = "512") int batch,
    @Setting(
            meaning = "Flushes in a row that fail or are late until the store is left alone",
            byDefault = "5")
        int breakAfter,
    @Setting(
            meaning = "Until the store is tried again; doubled while it does not answer",
            byDefault = "100ms")
        Duration backoff,
    @Setting(meaning = "The most that comes to", byDefault = "5s") Duration maxBackoff,
    @Setting(meaning = "Denials that are remembered; 0 for none", byDefault = "100000") int denials,
    @Setting(
            meaning =
                "Longest that a denial is repeated without asking the store, which sees what others"
                    + " give back",
            byDefault = "1s")
        Duration denyFor,
    @Setting(meaning = "Domains whose policies a node keeps ready", byDefault = "10000")
        int policies,
    @Setting(meaning = "Time without a check after which it drops a policy", byDefault = "10m")
        Duration policyIdle,
    @Setting(
            meaning = "Longest that a call waits for a policy, or for a newer one it needs",
            byDefault = "2s")
        Duration policyWait,
    @Setting(
            meaning = "Descriptors, for each policy, whose budgets a node knows at once",
            byDefault = "100000")
        int descriptors,
    @Setting(meaning = "Checks under way on one stream", byDefault = "1000") int streamed,
    @Setting(
            meaning =
                "How often embedded budgets are written to disk; what was admitted since then is"
                    + " forgotten in a crash",
            byDefault = "1s")
        Duration checkpointInterval) {

  public RateLimitSettings {
    unlessBetween("storeBudget", storeBudget, Duration.ofMillis(1), Duration.ofSeconds(10));
    unlessBetween("lanes", lanes, 1, 10_000);
    unlessBetween("batch", batch, 1, 10_000);
    unlessBetween("breakAfter", breakAfter, 1, 1_000_000);
    unlessBetween("backoff", backoff, Duration.ofMillis(1), Duration.ofMinutes(1));
    unlessBetween("maxBackoff", maxBackoff, backoff, Duration.ofMinutes(10));
    unlessBetween("denials", denials, 0, 10_000_000);
    unlessBetween("denyFor", denyFor, Duration.ofMillis(1), Duration.ofHours(1));
    unlessBetween("policies", policies, 10, 1_000_000);
    unlessBetween("policyIdle", policyIdle, Duration.ofMillis(10), Duration.ofDays(1));
    unlessBetween("policyWait", policyWait, Duration.ofMillis(1), Duration.ofMinutes(1));
    unlessBetween("descriptors", descriptors, 1, 10_000_000);
    unlessBetween("streamed", streamed, 1, 100_000);
    unlessBetween(
        "checkpointInterval", checkpointInterval, Duration.ofMillis(10), Duration.ofMinutes(10));
  }

  Tuning tuning() {
    return new Tuning(storeBudget, lanes, batch, breakAfter, backoff, maxBackoff, denials, denyFor);
  }

  RateLimitNode.Bounds bounds() {
    return new RateLimitNode.Bounds(policies, policyIdle, policyWait, streamed, descriptors);
  }
}
