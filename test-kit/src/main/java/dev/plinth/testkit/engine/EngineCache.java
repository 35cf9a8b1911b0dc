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
    void into(Path folder) throws IOException, InterruptedException;
  }

  private final Path root;

  EngineCache(Path root) {
    this.root = root;
  }

  Path folder(String name, Fetch fetch) throws IOException, InterruptedException {
    Path folder = root.resolve(name);
    if (Files.isDirectory(folder)) {
      return folder;
    }
    Files.createDirectories(root);
    Path lock = root.resolve(name + ".lock");
    synchronized (THIS_JVM) {
      try (FileChannel channel =
          FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        channel.lock(); // until the channel closes
        if (!Files.isDirectory(folder)) {
          fill(folder, fetch);
        }
      }
    }
    return folder;
  }

  private void fill(Path folder, Fetch fetch) throws IOException, InterruptedException {
    Path part = root.resolve(folder.getFileName() + ".part");
    delete(part); // of a fetch that failed or was killed
    Files.createDirectory(part);
    fetch.into(part);
    Files.move(part, folder, StandardCopyOption.ATOMIC_MOVE);
  }

  static void delete(Path folder) throws IOException {
    if (Files.notExists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
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
