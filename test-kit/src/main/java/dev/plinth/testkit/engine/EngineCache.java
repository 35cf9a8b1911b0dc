package dev.plinth.testkit.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Fetched engines, a folder each, kept between test runs. A folder under its final name is
 * complete: it is filled under another name and then renamed, by one fetcher at a time.
 */
final class EngineCache {
  /** A file lock keeps out other processes only. */
  private static final Object THIS_JVM = new Object();

  interface Fetch {
    void into(Path directory) throws IOException, InterruptedException;
  }

  private final Path root;

  EngineCache(Path root) {
    this.root = root;
  }

  Path directory(String name, Fetch fetch) throws IOException, InterruptedException {
    Path directory = root.resolve(name);
    if (Files.isDirectory(directory)) {
      return directory;
    }
    Files.createDirectories(root);
    Path lock = root.resolve(name + ".lock");
    synchronized (THIS_JVM) {
      try (FileChannel channel =
          FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        channel.lock(); // until the channel closes
        if (!Files.isDirectory(directory)) {
          fill(directory, fetch);
        }
      }
    }
    return directory;
  }

  private void fill(Path directory, Fetch fetch) throws IOException, InterruptedException {
    Path part = root.resolve(directory.getFileName() + ".part");
    delete(part); // of a fetch that failed or was killed
    Files.createDirectory(part);
    fetch.into(part);
    Files.move(part, directory, StandardCopyOption.ATOMIC_MOVE);
  }

  static void delete(Path directory) throws IOException {
    if (Files.notExists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(EngineCache::deleteOne);
    }
  }

  private static void deleteOne(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
