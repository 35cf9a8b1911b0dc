package dev.plinth.simulation.workload.limits;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.pipeline.LimitEvents;
import dev.plinth.simulation.workload.WorkloadLog;

/** Counts what shows that a run had something to judge. */
final class CountedLimitEvents implements LimitEvents {
  private final WorkloadLog log;

  CountedLimitEvents(WorkloadLog log) {
    this.log = log;
  }

  @Override
  public void decided(Verdict verdict, DecidedBy by) {}

  @Override
  public void overLimit(String domain, String rule, boolean shadow) {}

  @Override
  public void nearLimit(String domain, String rule) {}

  @Override
  public void flushed(int requests, int checks) {
    log.count("flushes");
  }

  @Override
  public void storeAnswered(long nanos, boolean ok) {}

  @Override
  public void undecided() {
    log.violation("Redis could not decide a request");
  }

  @Override
  public void merged(int checks) {}

  @Override
  public void late(int checks) {
    log.count("late answers");
  }

  @Override
  public void leased(long units) {
    log.count("server leases");
  }

  @Override
  public void leaseEnded(long granted, long returned) {}

  @Override
  public void leasesHeld(int leases, long units) {}

  @Override
  public void denyCacheHit() {}

  @Override
  public void breaker(CircuitState state) {
    log.count("breaker " + state);
  }
}
