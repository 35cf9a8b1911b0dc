package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Events as a test asks for them. */
public final class CountingLimitEvents implements LimitEvents {
  private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();
  final List<CircuitState> breaker = new CopyOnWriteArrayList<>();

  public long count(String name) {
    return counter(name).get();
  }

  private AtomicLong counter(String name) {
    return counts.computeIfAbsent(name, key -> new AtomicLong());
  }

  private void add(String name, long many) {
    counter(name).addAndGet(many);
  }

  @Override
  public void decided(Verdict verdict, DecidedBy by) {
    add(verdict + " " + by, 1);
  }

  @Override
  public void overLimit(String domain, String rule, boolean shadow) {
    add((shadow ? "would deny " : "denied ") + rule, 1);
  }

  @Override
  public void nearLimit(String domain, String rule) {
    add("near " + rule, 1);
  }

  @Override
  public void flushed(int requests, int checks) {
    add("flushes", 1);
    add("requests", requests);
    add("checks", checks);
  }

  @Override
  public void storeAnswered(long nanos, boolean ok) {
    add(ok ? "answered" : "failed", 1);
  }

  @Override
  public void undecided() {
    add("undecided", 1);
  }

  @Override
  public void merged(int checks) {
    add("merged", checks);
  }

  @Override
  public void late(int checks) {
    add("late", checks);
  }

  @Override
  public void leased(long units) {
    add("leased", units);
  }

  @Override
  public void leaseEnded(long granted, long returned) {
    add("ended", granted);
    add("returned", returned);
  }

  @Override
  public void leasesHeld(int leases, long units) {
    add("leases held", leases);
    add("units held", units);
  }

  @Override
  public void denyCacheHit() {
    add("deny hits", 1);
  }

  @Override
  public void breaker(CircuitState state) {
    breaker.add(state);
  }
}
