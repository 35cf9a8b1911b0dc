package dev.plinth.conventions;

import java.util.List;

/** One rule for the sources of the repository. */
interface Rule {
  /** A few words. */
  default String name() {
    return getClass().getSimpleName();
  }

  List<Violation> check(Repository repository);
}
