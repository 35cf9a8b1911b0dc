package dev.plinth.ratelimit.model;

import dev.plinth.ratelimit.policy.Limit;

/** A bucket: tokens that trickle in until it is full. */
final class ModelTokenBucket extends ModelLimitState {
  private final Limit.Bucket limit;
  private Ratio tokens;
  private long since;

  ModelTokenBucket(Limit.Bucket limit, Ratio tokens, long since) {
    this.limit = limit;
    this.tokens = tokens;
    this.since = since;
  }

  private Ratio at(long now) {
    Ratio came = Ratio.of(now - since).times(Ratio.of(limit.den(), limit.num()));
    return tokens.plus(came).min(Ratio.of(limit.burst()));
  }

  @Override
  Limit limit() {
    return limit;
  }

  @Override
  long available(long now) {
    return at(now).floor();
  }

  @Override
  void charge(long amount, long now) {
    Ratio lowest = Ratio.of(limit.burst()).minus(Ratio.of(Limit.DEBT, limit.num()));
    Ratio have = at(now);
    tokens = have.minus(Ratio.of(amount)).max(have.min(lowest));
    since = now;
  }

  @Override
  void refund(long amount, long charged, long at, long now) {
    Ratio left = unrefilled(charged, limit.num(), limit.den(), now - at);
    tokens = at(now).plus(left.min(Ratio.of(amount))).min(Ratio.of(limit.burst()));
    since = now;
  }

  @Override
  void afterClockStep(long from, long to) {
    since += to - from;
  }

  @Override
  ModelLimitState copy() {
    return new ModelTokenBucket(limit, tokens, since);
  }
}
