package dev.plinth.simulation.plant;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The table of all plants in a page, a row each, by name. */
final class PlantTable {
  private static final String BEGIN = "<!-- plants -->\n";
  private static final String END = "<!-- /plants -->";
  private static final String HEAD =
      "| plant | what | found after seeds | checker | shrunk to |\n|---|---|---|---|---|\n";

  private final String before;
  private final String after;
  private final Map<String, String> rows;

  private PlantTable(String before, String after, Map<String, String> rows) {
    this.before = before;
    this.after = after;
    this.rows = rows;
  }

  static PlantTable in(String page) {
    int from = page.indexOf(BEGIN);
    int to = page.indexOf(END);
    if (from < 0 || to < from) {
      throw new IllegalStateException("the page has no part plants");
    }
    Map<String, String> rows = new TreeMap<>();
    page.substring(from, to)
        .lines()
        .skip(3)
        .filter(line -> line.startsWith("| "))
        .forEach(line -> rows.put(cell(line, 1).replace(" (audit)", ""), line));
    return new PlantTable(page.substring(0, from + BEGIN.length()), page.substring(to), rows);
  }

  private static String cell(String row, int at) {
    return row.split("\\|", -1)[at].strip();
  }

  /** With these instead of what was known of the same plants. */
  PlantTable with(Collection<PlantResult> results) {
    Map<String, String> newer = new TreeMap<>(rows);
    results.forEach(result -> newer.put(result.plant().name(), result.row()));
    return new PlantTable(before, after, newer);
  }

  String page() {
    StringBuilder table = new StringBuilder(before).append(HEAD);
    rows.values().forEach(row -> table.append(row).append('\n'));
    return table.append(after).toString();
  }

  String summary() {
    List<Long> seeds =
        rows.values().stream()
            .map(row -> cell(row, 3))
            .filter(found -> found.matches("\\d+"))
            .map(Long::parseLong)
            .sorted()
            .toList();
    return seeds.isEmpty()
        ? "none of " + rows.size() + " found"
        : "%d of %d found, median %d seeds, at most %d"
            .formatted(
                seeds.size(),
                rows.size(),
                seeds.get(seeds.size() / 2),
                seeds.get(seeds.size() - 1));
  }
}
