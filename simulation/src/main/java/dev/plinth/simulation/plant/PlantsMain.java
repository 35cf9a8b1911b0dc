package dev.plinth.simulation.plant;

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
 * Runs plants: {@code ROOT SEEDS JOBS SHRINK} all of them; with names as further arguments those
 * alone. Puts what came out into the table in the documents. Ends with 1 where one is stale or not
 * found.
 */
public final class PlantsMain {
  private static final Logger LOGGERS = Logger.getLogger("");

  private PlantsMain() {}

  public static void main(String[] args) throws Exception {
    LOGGERS.setLevel(Level.OFF);
    Path root = Path.of(args[0]);
    int seeds = Integer.parseInt(args[1]);
    List<String> names = List.of(args).subList(4, args.length);
    List<Plant> plants =
        Plant.allOf(root.resolve("simulation/plants")).stream()
            .filter(plant -> names.isEmpty() || names.contains(plant.name()))
            .toList();
    if (plants.isEmpty()) {
      throw new IllegalArgumentException("no such plant");
    }
    Planter planter =
        new Planter(root, root.resolve("simulation/build/plants"), Long.parseLong(args[3]));
    List<PlantResult> results = run(planter, plants, seeds, Integer.parseInt(args[2]));
    Path page = root.resolve("docs/simulation-plants.md");
    PlantTable table = PlantTable.in(Files.readString(page)).with(results);
    Files.writeString(page, table.page());
    System.out.println(table.summary());
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
}
