package dev.plinth.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Rows of one run, beside the two yardsticks at the same number of callers: a bare echo and the
 * naive way.
 */
final class Table {
  /** What a case counts: an operation of it takes so many calls over gRPC. */
  record Case(String name, int calls) {}

  static final Case ECHO = new Case("bare gRPC echo", 1);
  static final Case NAIVE = new Case("naive jetcd, a key each", 0);

  private static final String HEAD =
      """
      | case | callers | per second | p50 ms | p99 ms | to naive | calls to echo |
      |---|---|---|---|---|---|---|
      """;

  private final StringBuilder rows = new StringBuilder(HEAD);
  private final Map<String, Double> perSecond = new HashMap<>();

  void add(Case what, int callers, Load.Result result) {
    perSecond.put(what.name + callers, result.perSecond());
    String row =
        "| %s | %d | %,.0f | %.2f | %.2f | %s | %s |"
            .formatted(
                what.name,
                callers,
                result.perSecond(),
                result.micros().getValueAtPercentile(50) / 1000.0,
                result.micros().getValueAtPercentile(99) / 1000.0,
                what.calls == 2 ? ratio(result.perSecond(), NAIVE, callers) : "",
                what.calls > 0 ? ratio(result.perSecond() * what.calls, ECHO, callers) : "");
    System.out.println(row);
    rows.append(row).append('\n');
  }

  private String ratio(double rate, Case to, int callers) {
    return "%.2f x".formatted(rate / perSecond.get(to.name + callers));
  }

  /** Replaces what stands between the page's two marks. */
  void write(Path page) throws IOException {
    String text = Files.readString(page);
    int from = text.indexOf("<!-- table -->") + "<!-- table -->\n".length();
    int to = text.indexOf("<!-- /table -->");
    Files.writeString(page, text.substring(0, from) + rows + text.substring(to));
  }
}
