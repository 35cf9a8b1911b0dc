package dev.plinth.examples;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A local Maven repository with Plinth as this build would publish it. All else is downloaded into
 * it, unless a cache has it from an earlier run; nothing of Plinth ever gets into the cache. Files
 * appear in the cache complete, so builds may share one.
 */
record LocalRepository(Path root) {
  private static final Path PLINTH = Path.of("dev", "plinth");

  static LocalRepository of(Path published, Path root) throws IOException {
    link(published, root, file -> true);
    return new LocalRepository(root);
  }

  void addFrom(Path cache) throws IOException {
    Files.createDirectories(cache);
    link(cache, root, file -> true);
  }

  void addTo(Path cache) throws IOException {
    link(root, cache, file -> !file.startsWith(root.resolve(PLINTH)));
  }

  /** Without the notes that Maven keeps beside its files: those are written again in place. */
  private static void link(Path from, Path to, Predicate<Path> wanted) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(from)) {
      files =
          all.filter(file -> file.toString().matches(".*\\.(jar|pom|module)"))
              .filter(wanted)
              .toList();
    }
    for (Path file : files) {
      Path target = to.resolve(from.relativize(file));
      if (Files.notExists(target)) {
        Files.createDirectories(target.getParent());
        linkOrCopy(file, target);
      }
    }
  }

  private static void linkOrCopy(Path file, Path target) throws IOException {
    try {
      Files.createLink(target, file);
    } catch (FileAlreadyExistsException e) {
      // Another build was faster.
    } catch (FileSystemException | UnsupportedOperationException e) {
      // On another disk, for instance.
      Path part = Files.createTempFile(target.getParent(), "part", "");
      Files.copy(file, part, StandardCopyOption.REPLACE_EXISTING);
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
