package dev.plinth.simulation.plant;

/**
 * How a plant fared.
 *
 * @param found whether a violation was found
 * @param seeds that were run, the one that found it included
 * @param seed that found it, or the last
 * @param checker that saw it, or why there is none
 * @param shrunk how small a run still shows it; empty if nobody tried
 */
public record PlantResult(
    Plant plant, boolean found, long seeds, long seed, String checker, String shrunk) {
  /** As a row of the table. */
  String row() {
    return "| %s%s | %s | %s | %s | %s |"
        .formatted(
            plant.name(),
            plant.audit() ? " (audit)" : "",
            plant.what(),
            found ? Long.toString(seeds) : "not in " + seeds,
            checker,
            shrunk);
  }
}
