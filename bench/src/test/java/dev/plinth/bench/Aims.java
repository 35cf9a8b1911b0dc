package dev.plinth.bench;

/** What was aimed at beside what was measured. A missed aim is shown; it does not fail the run. */
public final class Aims {
  private final Table table = new Table("aim", "wanted", "measured", "met");

  /** A ratio of at least so much. */
  public void ratio(String what, double wanted, double measured) {
    row(what, ">= " + Table.times(wanted), Table.times(measured), measured >= wanted);
  }

  public void ratioAtMost(String what, double wanted, double measured) {
    row(what, "<= " + Table.times(wanted), Table.times(measured), measured <= wanted);
  }

  public void below(String what, double wanted, double measured) {
    row(what, "< %.1f".formatted(wanted), "%.1f".formatted(measured), measured < wanted);
  }

  private void row(String what, String wanted, String measured, boolean met) {
    table.row(what, wanted, measured, met ? "yes" : "**no**");
  }

  public Table table() {
    return table;
  }
}
