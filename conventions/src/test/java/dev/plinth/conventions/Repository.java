package dev.plinth.conventions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The files that rules are about, and the Java files of main code as syntax trees. */
record Repository(List<SourceFile> files, List<JavaFile> mainJava) {
  private static final Set<String> SKIPPED = Set.of("build", "node_modules", "target");

  static Repository of(SourceFile... files) {
    return of(List.of(files));
  }

  private static Repository of(List<SourceFile> files) {
    return new Repository(
        files, JavaFile.parse(files.stream().filter(SourceFile::isMainJava).toList()));
  }

  static Repository read(Path root) {
    try (Stream<Path> paths = Files.walk(root)) {
      return of(
          paths
              .filter(path -> path.toString().matches(".*(\\.java|\\.md|/build\\.gradle)"))
              .filter(path -> isSource(root.relativize(path)))
              .sorted()
              .map(path -> read(root, path))
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isSource(Path path) {
    for (Path part : path) {
      if (part.toString().startsWith(".") || SKIPPED.contains(part.toString())) {
        return false;
      }
    }
    return true;
  }

  private static SourceFile read(Path root, Path path) {
    try {
      String name = root.relativize(path).toString().replace('\\', '/');
      return new SourceFile(name, Files.readString(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
