package dev.plinth.bench.limits;

import java.io.Serializable;

/**
 * What is asked for.
 *
 * @param run tells one run's keys from another's, so that each begins with full budgets
 */
record Case(Keys keys, Limit limit, String run) implements Serializable {
  String name(int key) {
    return run + "/" + key;
  }
}
