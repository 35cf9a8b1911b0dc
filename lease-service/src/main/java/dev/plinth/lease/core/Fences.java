package dev.plinth.lease.core;

import dev.plinth.shards.RowReader;
import dev.plinth.shards.Tx;

/**
 * The highest token seen per resource, for resources that cannot keep it themselves. It never
 * falls.
 */
final class Fences {
  static final String PREFIX = "lease/f/";
  private final PersistentCounters floors = new PersistentCounters(PREFIX);

  void load(RowReader row) {
    floors.load(row);
  }

  /** The floor afterwards; a token below it was not accepted. */
  long raise(LeaseName resource, long token, Tx tx) {
    long floor = floors.get(resource);
    if (token <= floor) {
      return floor;
    }
    floors.set(resource, token, tx);
    return token;
  }

  boolean isKnown(LeaseName resource) {
    return floors.get(resource) > 0;
  }

  /** How many resources of a namespace have a floor. */
  int count(String namespace) {
    return floors.count(namespace);
  }

  /** 0 if none was ever raised. */
  long floor(LeaseName resource) {
    return floors.get(resource);
  }
}
