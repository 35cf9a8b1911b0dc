package dev.plinth.simulation.plant;

import dev.plinth.simulation.workload.WorkloadKind;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * Runs the simulation with a plant: the changed classes go before the others on the class path of a
 * JVM of its own. A seed that violates something without the plant too shows nothing, and is passed
 * over.
 */
public final class Planter {
  private record Found(long seed, String checker) {}

  private final PlantCompiler compiler;
  private final Path work;
  private final BiPredicate<WorkloadKind, Long> clean;

  /**
   * @param root of the repository
   * @param work folder for classes and output
   */
  public Planter(Path root, Path work) {
    this(root, work, (kind, seed) -> kind.run(seed).isClean());
  }

  Planter(Path root, Path work, BiPredicate<WorkloadKind, Long> clean) {
    this.compiler = new PlantCompiler(root);
    this.work = work;
    this.clean = clean;
  }

  /** Runs seed after seed from the first one, until the plant is found or all are over. */
  public PlantResult run(Plant plant, long first, int seeds) {
    Path classes = work.resolve(plant.name());
    delete(classes);
    try {
      compiler.compile(plant, classes);
    } catch (StalePlantException e) {
      return new PlantResult(plant, false, 0, first, "stale: " + e.getMessage());
    }
    long from = first;
    while (from < first + seeds) {
      Optional<Found> found = run(plant, classes, from, first + seeds);
      if (found.isEmpty()) {
        break;
      }
      long seed = found.get().seed();
      if (clean.test(plant.workload(), seed)) {
        return new PlantResult(plant, true, seed - first + 1, seed, found.get().checker());
      }
      from = seed + 1;
    }
    return new PlantResult(plant, false, seeds, first + seeds - 1, "not found");
  }

  private Optional<Found> run(Plant plant, Path classes, long from, long to) {
    String classPath = classes + File.pathSeparator + System.getProperty("java.class.path");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx768m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1", // most are found in seconds
            "-cp",
            classPath,
            PlantedSeeds.class.getName(),
            plant.workload().toString(),
            Long.toString(from),
            Long.toString(to));
    try {
      Process process = builder.redirectErrorStream(true).start();
      try (BufferedReader output = process.inputReader()) {
        List<String> lines = output.lines().toList();
        Files.write(work.resolve(plant.name() + ".txt"), lines);
        int code = process.waitFor();
        Optional<Found> found = lines.stream().flatMap(line -> found(line).stream()).findFirst();
        if (code != 0 && found.isEmpty()) {
          throw new IllegalStateException(plant.name() + " ended with " + code + ": " + lines);
        }
        return found;
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
