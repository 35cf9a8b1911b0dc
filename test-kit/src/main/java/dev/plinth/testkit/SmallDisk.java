package dev.plinth.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Assumptions;

/** A file system of a few MiB that a test can fill up: a tmpfs, which only root may mount. */
public final class SmallDisk implements AutoCloseable {
  private static final int CHUNK = 64 << 10;

  private final Path path;

  private SmallDisk(Path path) {
    this.path = path;
  }

  /** Skips the test where nothing can be mounted. */
  public static SmallDisk mount(Path at, int mebibytes) throws IOException {
    Files.createDirectories(at);
    String size = "size=" + mebibytes + "m";
    boolean mounted = run("mount", "-t", "tmpfs", "-o", size, "tmpfs", at.toString());
    if (!mounted) {
      System.err.println("skipped: this user cannot mount a tmpfs");
    }
    Assumptions.assumeTrue(mounted, "cannot mount a tmpfs");
    return new SmallDisk(at);
  }

  public Path path() {
    return path;
  }

  /** Lets a file grow until nothing more fits; again, where room was made meanwhile. */
  public void fill() throws IOException {
    try (OutputStream file =
        Files.newOutputStream(ballast(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      byte[] chunk = new byte[CHUNK];
      while (true) {
        file.write(chunk);
      }
    } catch (IOException full) {
      if (path.toFile().getUsableSpace() > CHUNK) {
        throw full;
      }
    }
  }

  /** Takes that file away. */
  public void makeRoom() throws IOException {
    Files.delete(ballast());
  }

  private Path ballast() {
    return path.resolve("ballast");
  }

  private static boolean run(String... command) throws IOException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void close() throws IOException {
    // Lazily: what still has a file open there must not keep the test's folder.
    if (!run("umount", "-l", path.toString())) {
      throw new IOException("cannot unmount " + path);
    }
  }
}
