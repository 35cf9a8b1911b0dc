package dev.plinth.ratelimit.engine;

/**
 * Units out in leases: leased in the window {@code index} of one ttl, and in the one before. A
 * lease that is not returned stops counting after one to two ttls, when its holder may long not
 * spend it any more.
 */
record OutstandingLeases(long index, long now, long before) {
  static final OutstandingLeases NONE = new OutstandingLeases(0, 0, 0);

  /** A window of the future is the present one: the clock was stepped back. */
  OutstandingLeases at(long current) {
    if (current == index) {
      return this;
    } else if (current < index) {
      return new OutstandingLeases(current, now, before);
    }
    return new OutstandingLeases(current, 0, current == index + 1 ? now : 0);
  }

  long out() {
    return now + before;
  }

  OutstandingLeases plus(long amount) {
    return new OutstandingLeases(index, now + amount, before);
  }

  OutstandingLeases minus(long amount, long lentIn) {
    if (lentIn >= index) {
      return new OutstandingLeases(index, Math.max(0, now - amount), before);
    } else if (lentIn == index - 1) {
      return new OutstandingLeases(index, now, Math.max(0, before - amount));
    }
    return this;
  }
}
