package dev.plinth.simulation.plant;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Runs plants: {@code ROOT SEEDS JOBS} all of them, and puts the table into the documents; with a
 * name as a fourth argument that one alone. Ends with 1 where one is stale or not found.
 */
public final class PlantsMain {
  private static final String BEGIN = "<!-- plants -->\n";
  private static final String END = "<!-- /plants -->";
  private static final Logger LOGGERS = Logger.getLogger("");

  private PlantsMain() {}

  public static void main(String[] args) throws Exception {
    LOGGERS.setLevel(Level.OFF);
    Path root = Path.of(args[0]);
    int seeds = Integer.parseInt(args[1]);
    boolean all = args.length == 3;
    List<Plant> plants =
        Plant.allOf(root.resolve("simulation/plants")).stream()
            .filter(plant -> all || plant.name().equals(args[3]))
            .toList();
    if (plants.isEmpty()) {
      throw new IllegalArgumentException("no such plant");
    }
    Planter planter = new Planter(root, root.resolve("simulation/build/plants"));
    List<PlantResult> results = run(planter, plants, seeds, Integer.parseInt(args[2]));
    String table = table(results);
    System.out.println(table);
    if (all) {
      write(root.resolve("docs/simulation-plants.md"), table);
    }
    System.exit(results.stream().allMatch(PlantResult::found) ? 0 : 1);
  }

  private static List<PlantResult> run(Planter planter, List<Plant> plants, int seeds, int jobs)
      throws InterruptedException, ExecutionException {
    ExecutorService executor = Executors.newFixedThreadPool(jobs);
    try {
      List<Future<PlantResult>> runs = new ArrayList<>();
      for (Plant plant : plants) {
        runs.add(executor.submit(() -> told(planter.run(plant, 1, seeds))));
      }
      List<PlantResult> results = new ArrayList<>();
      for (Future<PlantResult> run : runs) {
        results.add(run.get());
      }
      return results;
    } finally {
      executor.shutdownNow();
    }
  }

  private static PlantResult told(PlantResult result) {
    System.out.println(result.row());
    return result;
  }

  static String table(List<PlantResult> results) {
    StringBuilder table =
        new StringBuilder("| plant | what | found after seeds | checker |\n|---|---|---|---|\n");
    results.forEach(result -> table.append(result.row()).append('\n'));
    return table.toString();
  }

  private static void write(Path page, String table) throws IOException {
    String text = Files.readString(page);
    int from = text.indexOf(BEGIN);
    int to = text.indexOf(END);
    if (from < 0 || to < from) {
      throw new IllegalStateException(page + " has no part plants");
    }
    Files.writeString(page, text.substring(0, from) + BEGIN + table + text.substring(to));
  }
}
