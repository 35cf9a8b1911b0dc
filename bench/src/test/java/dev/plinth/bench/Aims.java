package dev.plinth.bench;

/** What was aimed at beside what was measured. A missed aim is shown; it does not fail the run. */
public final class Aims {
  private final Table table = new Table("aim", "at least", "measured", "met");

  public void ratio(String what, double wanted, double measured) {
    table.row(
        what, Table.times(wanted), Table.times(measured), measured >= wanted ? "yes" : "**no**");
  }

  public Table table() {
    return table;
  }
}
