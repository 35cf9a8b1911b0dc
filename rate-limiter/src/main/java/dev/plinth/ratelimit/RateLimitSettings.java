package dev.plinth.ratelimit;

import static dev.plinth.server.settings.InvalidSettingException.unlessBetween;

import dev.plinth.ratelimit.grpc.EnvoyAnswers;
import dev.plinth.ratelimit.grpc.EnvoyEvents;
import dev.plinth.ratelimit.grpc.EnvoyHeaders;
import dev.plinth.ratelimit.grpc.RateLimitNode;
import dev.plinth.ratelimit.pipeline.DescriptorCache;
import dev.plinth.ratelimit.pipeline.PipelineOptions;
import dev.plinth.ratelimit.store.RowMemory;
import dev.plinth.server.settings.ByteSize;
import dev.plinth.server.settings.Inline;
import dev.plinth.server.settings.InvalidSettingException;
import dev.plinth.server.settings.Setting;
import java.time.Duration;

/** How limits are decided. */
public record RateLimitSettings(
    @Inline FlushSettings flush,
    @Inline PolicyReplicaSettings replica,
    @Setting(
            meaning =
                "Memory of this process for limits: an eighth for what it remembers of descriptors"
                    + " and an eighth for policies, where what is used least is forgotten; half for"
                    + " the rows of embedded budgets; a quarter for those of a node that decides"
                    + " without its store. While rows that are in use fill their part, a check that"
                    + " needs another one is left to its fail mode. 0B is half of the heap",
            byDefault = "0B")
        ByteSize memory,
    @Setting(meaning = "Checks under way on one stream", byDefault = "1000") int streamed,
    @Setting(
            meaning =
                "How often embedded budgets are written to disk; what was admitted since then is"
                    + " forgotten in a crash",
            byDefault = "1s")
        Duration checkpointInterval,
    @Inline EnvoySettings envoy) {

  private static final ByteSize MIN_MEMORY = new ByteSize(4 << 20);
  private static final ByteSize MAX_MEMORY = new ByteSize(1L << 40);

  public RateLimitSettings {
    if (memory.bytes() != 0) {
      unlessBetween("memory", memory, MIN_MEMORY, MAX_MEMORY);
    }
    unlessBetween("streamed", streamed, 1, 100_000);
    unlessBetween(
        "checkpointInterval", checkpointInterval, Duration.ofMillis(10), Duration.ofMinutes(10));
  }

  RateLimitNode.Options node() {
    return new RateLimitNode.Options(
        replica.policies, replica.policyIdle, replica.policyWait, policyBytes(), streamed);
  }

  private long memoryBytes() {
    return memory.bytes() == 0 ? Runtime.getRuntime().maxMemory() / 2 : memory.bytes();
  }

  /** Memory that rows of embedded budgets may take. */
  public RowMemory rows() {
    return new RowMemory(memoryBytes() / 2);
  }

  /** Memory that rows of budgets may take while this node decides without its store. */
  long localRowBytes() {
    return memoryBytes() / 4;
  }

  DescriptorCache cache() {
    return new DescriptorCache(memoryBytes() / 8);
  }

  /** Memory that compiled policies may take. */
  long policyBytes() {
    return memoryBytes() / 8;
  }

  /** How checks go to the store of budgets. */
  public record FlushSettings(
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
      @Setting(
              meaning =
                  "Longest that a denial is repeated without asking the store, which sees what"
                      + " others give back; 0s to ask always",
              byDefault = "1s")
          Duration denyFor) {

    public FlushSettings {
      unlessBetween("storeBudget", storeBudget, Duration.ofMillis(1), Duration.ofSeconds(10));
      unlessBetween("lanes", lanes, 1, 10_000);
      unlessBetween("batch", batch, 1, 10_000);
      unlessBetween("breakAfter", breakAfter, 1, 1_000_000);
      unlessBetween("backoff", backoff, Duration.ofMillis(1), Duration.ofMinutes(1));
      unlessBetween("maxBackoff", maxBackoff, backoff, Duration.ofMinutes(10));
      unlessBetween("denyFor", denyFor, Duration.ZERO, Duration.ofHours(1));
    }

    PipelineOptions options() {
      return new PipelineOptions(
          storeBudget, lanes, batch, breakAfter, backoff, maxBackoff, denyFor);
    }
  }

  /** What a node keeps of policies. */
  public record PolicyReplicaSettings(
      @Setting(meaning = "Domains whose policies a node keeps ready", byDefault = "10000")
          int policies,
      @Setting(meaning = "Time without a check after which it drops a policy", byDefault = "10m")
          Duration policyIdle,
      @Setting(
              meaning = "Longest that a call waits for a policy, or for a newer one it needs",
              byDefault = "2s")
          Duration policyWait) {

    public PolicyReplicaSettings {
      unlessBetween("policies", policies, 10, 1_000_000);
      unlessBetween("policyIdle", policyIdle, Duration.ofMillis(10), Duration.ofDays(1));
      unlessBetween("policyWait", policyWait, Duration.ofMillis(1), Duration.ofMinutes(1));
    }
  }

  /** What answers to Envoy carry beside the decision. */
  public record EnvoySettings(
      @Setting(
              meaning =
                  "Headers that answers to Envoy ask for: none; x-ratelimit for x-ratelimit-limit,"
                      + " -remaining and -reset; ratelimit for RateLimit-Limit, -Remaining and"
                      + " -Reset; structured for RateLimit-Policy, RateLimit and Retry-After; or"
                      + " three names, limit,remaining,reset",
              byDefault = "none")
          String envoyHeaders,
      @Setting(
              meaning =
                  "Whether answers to Envoy carry dynamic metadata: the request, and what rules"
                      + " that are not over have of it",
              byDefault = "false")
          boolean envoyMetadata) {

    public EnvoySettings {
      try {
        EnvoyHeaders.parse(envoyHeaders);
      } catch (IllegalArgumentException e) {
        throw new InvalidSettingException("envoyHeaders", envoyHeaders, EnvoyHeaders.FORM);
      }
    }

    EnvoyAnswers answers(EnvoyEvents events) {
      return new EnvoyAnswers(EnvoyHeaders.parse(envoyHeaders), envoyMetadata, events);
    }
  }
}
