package dev.plinth.simulation.plant;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Runs the simulation with a plant: the changed classes go before the others on the class path of a
 * JVM of its own. A seed that violates something without the plant too shows nothing, and is passed
 * over.
 */
public final class Planter {
  private record Found(long seed, String checker) {}

  private final PlantCompiler compiler;
  private final Path work;
  private final long shrinkSeconds;

  /**
   * @param root of the repository
   * @param work folder for classes and output
   * @param shrinkSeconds spent to make a run small that found a plant; twice that for one of the
   *     audit
   */
  public Planter(Path root, Path work, long shrinkSeconds) {
    this.compiler = new PlantCompiler(root);
    this.work = work;
    this.shrinkSeconds = shrinkSeconds;
  }

  /** Runs seed after seed from the first one, until the plant is found or all are over. */
  public PlantResult run(Plant plant, long first, int seeds) {
    Path classes = work.resolve(plant.name());
    delete(classes);
    try {
      compiler.compile(plant, classes);
    } catch (StalePlantException e) {
      return new PlantResult(plant, false, 0, first, "stale: " + e.getMessage(), "");
    }
    long from = first;
    while (from < first + seeds) {
      Optional<Found> found = run(plant, classes, from, first + seeds);
      if (found.isEmpty()) {
        break;
      }
      long seed = found.get().seed();
      if (plant.workload().run(seed).isClean()) {
        String size = shrink(plant, classes, seed);
        return new PlantResult(plant, true, seed - first + 1, seed, found.get().checker(), size);
      }
      from = seed + 1;
    }
    return new PlantResult(plant, false, seeds, first + seeds - 1, "not found", "");
  }

  /** How small the run can be made that found it; empty if it has no parts or no end to be seen. */
  private String shrink(Plant plant, Path classes, long seed) {
    if (shrinkSeconds == 0 || !plant.workload().hasParts()) {
      return "";
    }
    long seconds = plant.audit() ? shrinkSeconds * 2 : shrinkSeconds;
    String kind = plant.workload().toString();
    return start(plant, classes, ".shrunk", PlantedSeeds.SHRINK, kind, "" + seed, "" + seconds)
        .lines
        .stream()
        .filter(line -> line.startsWith(PlantedSeeds.SHRUNK))
        .map(line -> line.substring(PlantedSeeds.SHRUNK.length()))
        .findFirst()
        .orElse("");
  }

  private Optional<Found> run(Plant plant, Path classes, long from, long to) {
    String kind = plant.workload().toString();
    Output output = start(plant, classes, "", kind, Long.toString(from), Long.toString(to));
    Optional<Found> found = output.lines.stream().flatMap(line -> found(line).stream()).findFirst();
    if (output.code != 0 && found.isEmpty()) {
      throw new IllegalStateException(
          plant.name() + " ended with " + output.code + ": " + output.lines);
    }
    return found;
  }

  private record Output(int code, List<String> lines) {}

  private Output start(Plant plant, Path classes, String ending, String... args) {
    String classPath = classes + File.pathSeparator + System.getProperty("java.class.path");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx768m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", // most are found in seconds
                "-cp",
                classPath,
                PlantedSeeds.class.getName()));
    command.addAll(List.of(args));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      try (BufferedReader output = process.inputReader()) {
        List<String> lines = output.lines().toList();
        Files.write(work.resolve(plant.name() + ending + ".txt"), lines);
        return new Output(process.waitFor(), lines);
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static Optional<Found> found(String line) {
    if (!line.startsWith(PlantedSeeds.FOUND)) {
      return Optional.empty();
    }
    String[] parts = line.split(" ", 3);
    return Optional.of(new Found(Long.parseLong(parts[1]), parts[2]));
  }

  private static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (var files = Files.walk(folder)) {
      files.sorted(java.util.Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
