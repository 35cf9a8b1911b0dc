package dev.plinth.ratelimit.core;

/**
 * What is out in leases: lent in the window {@code index} of one ttl, and in the one before. A
 * lease that is not returned stops counting after one to two ttls, when its holder may long not
 * spend it any more.
 */
record Lent(long index, long now, long before) {
  static final Lent NONE = new Lent(0, 0, 0);

  /** A window of the future is the present one: the clock was stepped back. */
  Lent at(long current) {
    if (current == index) {
      return this;
    } else if (current < index) {
      return new Lent(current, now, before);
    }
    return new Lent(current, 0, current == index + 1 ? now : 0);
  }

  long out() {
    return now + before;
  }

  Lent plus(long amount) {
    return new Lent(index, now + amount, before);
  }

  Lent minus(long amount, long lentIn) {
    if (lentIn >= index) {
      return new Lent(index, Math.max(0, now - amount), before);
    } else if (lentIn == index - 1) {
      return new Lent(index, now, Math.max(0, before - amount));
    }
    return this;
  }
}
