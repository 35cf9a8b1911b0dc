package dev.plinth.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Rows of one run, with each case's ratio to the first case at the same number of callers. */
final class Table {
  private static final String HEAD =
      """
      # Benchmarks
      `./gradlew :bench:lease` writes this page: one run, one machine of two cores that carries callers, server and etcd alike, so the
      ratios count and the absolute numbers do not. A cycle is a grant and a release, two durable calls; a renewal or an echo is one
      call. Every grant is checked.

      | case | callers | per second | p50 ms | p99 ms | to naive |
      |---|---|---|---|---|---|
      """;

  private final StringBuilder rows = new StringBuilder(HEAD);
  private final Map<Integer, Double> naive = new HashMap<>();

  void add(String what, int callers, Load.Result result) {
    double base = naive.computeIfAbsent(callers, c -> result.perSecond());
    String row =
        "| %s | %d | %,.0f | %.2f | %.2f | %.1f x |"
            .formatted(
                what,
                callers,
                result.perSecond(),
                result.micros().getValueAtPercentile(50) / 1000.0,
                result.micros().getValueAtPercentile(99) / 1000.0,
                result.perSecond() / base);
    System.out.println(row);
    rows.append(row).append('\n');
  }

  void write(Path file) throws IOException {
    Files.writeString(file, rows.toString());
  }
}
