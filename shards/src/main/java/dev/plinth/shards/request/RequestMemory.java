package dev.plinth.shards.request;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.ShardsSettings;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The bytes that all shards of a node may use for remembered answers, and for how long an answer is
 * remembered. Nothing is forgotten to make room: once the bytes are used up, new requests are
 * refused until older ones have had their time.
 */
public final class RequestMemory {
  /** Set aside for a request until its answer is known. */
  static final int RESERVED = 512;

  // Answers without an effect only save work, so they get little, and the oldest give way.
  private static final long NO_EFFECT_BYTES = 4L << 20;
  private static final long MAX_BY_DEFAULT = 512L << 20;
  private static final long SHARE_OF_HEAP = 4;
  // What is urgent ends holds and sessions, so it must find room when others do not.
  private static final long URGENT_SHARE = 8;
  private static final Duration MIN_RETRY = Duration.ofMillis(100);
  private static final Duration MAX_RETRY = Duration.ofSeconds(10);

  private final Duration retention;
  private final long limit;
  private final long shardLimit;
  private final long noEffectBytes;
  private final AtomicLong bytes = new AtomicLong();
  private final LongAdder answers = new LongAdder();
  private final LongAdder refused = new LongAdder();

  /**
   * @param limit bytes for all shards together
   * @param shardLimit bytes that one of them may use, so that a busy namespace cannot fill it all
   * @param noEffectBytes bytes that each shard has for answers without an effect
   */
  public RequestMemory(Duration retention, long limit, long shardLimit, long noEffectBytes) {
    this.retention = retention;
    this.limit = limit;
    this.shardLimit = shardLimit;
    this.noEffectBytes = noEffectBytes;
  }

  public static RequestMemory of(ShardsSettings settings) {
    long given = settings.requestMemory().bytes();
    long byDefault = Math.min(MAX_BY_DEFAULT, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    long limit = given == 0 ? byDefault : given;
    return new RequestMemory(
        settings.requestRetention(),
        limit,
        settings.count() == 1 ? limit : limit / 2,
        NO_EFFECT_BYTES / settings.count());
  }

  /** Registers its meters. */
  public void watch(MeterRegistry registry) {
    Gauge.builder("plinth.shards.requests.bytes", this::bytes)
        .description("Memory used by answers that are remembered by request id")
        .register(registry);
    Gauge.builder("plinth.shards.requests.limit", () -> limit)
        .description("Memory that remembered answers may use")
        .register(registry);
    Gauge.builder("plinth.shards.requests.remembered", this::answers)
        .description("Answers that are remembered by request id")
        .register(registry);
    FunctionCounter.builder("plinth.shards.requests.refused", this, RequestMemory::refused)
        .description("Requests refused since the memory of request ids was full")
        .register(registry);
  }

  Duration retention() {
    return retention;
  }

  long noEffectBytes() {
    return noEffectBytes;
  }

  /**
   * @param used bytes that the shard of the request uses
   */
  public boolean hasRoom(CommandPriority commandPriority, long used) {
    boolean urgent = commandPriority == CommandPriority.URGENT;
    return bytes.get() + RESERVED <= (urgent ? limit : limit - limit / URGENT_SHARE)
        && (urgent || !isShareUsed(used));
  }

  private boolean isShareUsed(long used) {
    return used + RESERVED > shardLimit;
  }

  /**
   * For a request that found no room.
   *
   * @param used bytes that its shard uses
   * @param soonest when the oldest answer of its shard has had its time
   */
  Failure full(long used, Duration soonest) {
    refused.increment();
    Duration retry = soonest.compareTo(MIN_RETRY) < 0 ? MIN_RETRY : soonest;
    return new Failure.Exhausted(
        ErrorReason.ERROR_REASON_REQUEST_MEMORY_FULL,
        "request memory",
        (isShareUsed(used)
                ? "one shard's share of the memory of request ids is full: " + shardLimit
                : "the memory of request ids is full: " + limit)
            + " bytes hold the answers of less than "
            + retention.toSeconds()
            + "s",
        retry.compareTo(MAX_RETRY) > 0 ? MAX_RETRY : retry);
  }

  void use(long moreBytes, long moreAnswers) {
    bytes.addAndGet(moreBytes);
    answers.add(moreAnswers);
  }

  public long bytes() {
    return bytes.get();
  }

  public long answers() {
    return answers.sum();
  }

  public long refused() {
    return refused.sum();
  }
}
