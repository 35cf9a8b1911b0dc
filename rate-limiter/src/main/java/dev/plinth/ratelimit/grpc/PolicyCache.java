package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.policy.Policies;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc.RateLimitServiceStub;
import io.grpc.Channel;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * The policies that this node decides with. The first use of a domain begins a watch of its policy
 * at the domain's owner; from then on a look at it is a lookup and one volatile read. A watch that
 * breaks is taken up again where it was, and meanwhile the last policy that was seen decides, or
 * the knowledge that there is none: it may be late, and budgets that a later version has touched
 * say so.
 *
 * <p>Domains that nobody asks about are dropped after a while, the least recent first when there
 * are too many.
 */
final class PolicyCache implements AutoCloseable {
  /**
   * @param most domains that are watched
   * @param idle after which a domain is dropped
   * @param patience the longest that a call waits for a policy, or for a newer one
   * @param silence after which a watch is taken for broken
   */
  record Bounds(int most, Duration idle, Duration patience, Duration silence) {}

  private final Bounds bounds;
  private final RateLimitServiceStub owner;
  private final Function<Policy, CompiledPolicy> compiler;
  private final ScheduledExecutorService thread;
  private final Map<String, WatchedPolicy> domains = new ConcurrentHashMap<>();
  private final AtomicBoolean crowded = new AtomicBoolean();
  private volatile int tick;

  /**
   * @param owner reaches the owner of every domain
   * @param thread one, on which watches are told
   */
  PolicyCache(
      Bounds bounds,
      Channel owner,
      Function<Policy, CompiledPolicy> compiler,
      ScheduledExecutorService thread) {
    this.bounds = bounds;
    this.owner = RateLimitServiceGrpc.newStub(owner);
    this.compiler = compiler;
    this.thread = thread;
    long sweep = Math.max(1, bounds.idle.toMillis() / 2);
    thread.scheduleWithFixedDelay(this::sweep, sweep, sweep, TimeUnit.MILLISECONDS);
    long listen = Math.max(1, bounds.silence.toMillis() / 2);
    thread.scheduleWithFixedDelay(
        () -> domains.values().forEach(WatchedPolicy::noticeSilence),
        listen,
        listen,
        TimeUnit.MILLISECONDS);
  }

  /**
   * The policy as this node knows it, if it is of this version or later.
   *
   * @return null if it has to be waited for
   * @throws dev.plinth.server.failure.Failure if it is known that there is none
   */
  CompiledPolicy known(String domain, long minVersion) {
    WatchedPolicy watched = watched(domain);
    Optional<CompiledPolicy> known = watched.known();
    if (known == null) {
      return null;
    }
    if (known.isEmpty()) {
      if (minVersion > 0) {
        return null; // it may have just been made
      }
      throw Policies.unknown(domain);
    }
    return known.get().version() >= minVersion ? known.get() : null;
  }

  /** Waits for a policy of this version or later, within bounds. */
  CompletableFuture<CompiledPolicy> await(String domain, long minVersion) {
    return watched(domain).await(minVersion);
  }

  private WatchedPolicy watched(String domain) {
    WatchedPolicy known = domains.get(domain);
    if (known == null) {
      known = domains.computeIfAbsent(domain, name -> new WatchedPolicy(name, this));
      if (domains.size() > bounds.most && crowded.compareAndSet(false, true)) {
        thread.execute(this::makeRoom);
      }
    }
    known.touch(tick);
    return known;
  }

  private void makeRoom() {
    crowded.set(false);
    int tooMany = domains.size() - bounds.most * 9 / 10;
    List<WatchedPolicy> leastRecent =
        domains.values().stream()
            .sorted(Comparator.comparingInt(watched -> watched.touched()))
            .limit(Math.max(0, tooMany))
            .toList();
    leastRecent.forEach(this::drop);
    tick++;
  }

  private void sweep() {
    // Touched neither since the last sweep nor in the time before it.
    int last = tick - 1;
    domains.values().stream().filter(watched -> watched.touched() < last).forEach(this::drop);
    tick++;
  }

  private void drop(WatchedPolicy watched) {
    domains.remove(watched.domain(), watched);
    watched.close();
  }

  int size() {
    return domains.size();
  }

  /** How long the watch that is broken longest has been so; 0 if none is. */
  Duration staleness() {
    long now = System.nanoTime();
    return Duration.ofNanos(
        domains.values().stream().mapToLong(watched -> watched.brokenFor(now)).max().orElse(0));
  }

  int tick() {
    return tick;
  }

  Bounds bounds() {
    return bounds;
  }

  RateLimitServiceStub owner() {
    return owner;
  }

  CompiledPolicy compile(Policy policy) {
    return compiler.apply(policy);
  }

  ScheduledExecutorService thread() {
    return thread;
  }

  @Override
  public void close() {
    domains.values().forEach(this::drop);
  }
}
