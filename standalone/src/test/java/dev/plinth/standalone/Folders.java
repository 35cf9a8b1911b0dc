package dev.plinth.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Backups as an operator makes them: copies of folders. */
final class Folders {
  private Folders() {}

  /** Makes {@code to} a copy of {@code from}. */
  static void replace(Path to, Path from) throws IOException {
    delete(to);
    for (Path file : walk(from)) {
      Files.copy(file, to.resolve(from.relativize(file).toString()));
    }
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      for (Path file : walk(directory).stream().sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static List<Path> walk(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.toList();
    }
  }
}
