package dev.plinth.bench.limits;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.pipeline.LimitEvents;

/** No metrics: libraries keep none either. */
final class Uncounted implements LimitEvents {
  @Override
  public void decided(Verdict verdict, DecidedBy by) {}

  @Override
  public void overLimit(String domain, String rule, boolean shadow) {}

  @Override
  public void nearLimit(String domain, String rule) {}

  @Override
  public void flushed(int requests, int checks) {}

  @Override
  public void storeAnswered(long nanos, boolean ok) {}

  @Override
  public void undecided() {}

  @Override
  public void merged(int checks) {}

  @Override
  public void late(int checks) {}

  @Override
  public void leased(long units) {}

  @Override
  public void leaseEnded(long granted, long returned) {}

  @Override
  public void leasesHeld(int leases, long units) {}

  @Override
  public void denyCacheHit() {}

  @Override
  public void breaker(CircuitState state) {}
}
