package dev.plinth.simulation.workload.client;

import dev.plinth.simulation.kernel.Seeds;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * What a seed drew for its real clients.
 *
 * @param present what they do and what befalls them
 * @param ttl of sessions
 * @param callers threads of a client that take leases
 * @param keys that all share
 */
record ClientOptions(Set<String> present, Duration ttl, int callers, int keys) {
  private static final List<String> CHOICES =
      List.of(
          "interrupts",
          "closes",
          "kills",
          "pauses",
          "sleeps",
          "clock-steps",
          "sets",
          "shared",
          "elections",
          "in-turn");

  static ClientOptions draw(Seeds seeds) {
    SplittableRandom random = seeds.random("client options");
    Set<String> present = new TreeSet<>();
    CHOICES.stream().filter(each -> random.nextBoolean()).forEach(present::add);
    if (present.contains("sleeps")) {
      present.remove("clock-steps"); // which can hide a sleep: that is not promised
    }
    return new ClientOptions(
        present,
        Duration.ofMillis(random.nextInt(800, 5000)),
        random.nextInt(1, 4),
        random.nextInt(1, 4));
  }

  boolean has(String choice) {
    return present.contains(choice);
  }
}
