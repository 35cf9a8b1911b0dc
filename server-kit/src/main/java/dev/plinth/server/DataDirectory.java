package dev.plinth.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Optional;

/**
 * The folder of the embedded engines, held by one process at a time. The operating system drops the
 * lock when its holder dies, so a crash leaves nothing to clean up.
 */
public final class DataDirectory implements Engine, AutoCloseable {
  private final Path directory;
  private final Path lockFile;
  private final FileChannel channel;
  private final Object lockedFile;

  private DataDirectory(Path directory, Path lockFile, FileChannel channel) throws IOException {
    this.directory = directory;
    this.lockFile = lockFile;
    this.channel = channel;
    this.lockedFile = fileKey();
  }

  /**
   * Takes the folder, made if it is not there.
   *
   * @throws StartRefusedException if another process holds it, naming that process
   */
  public static DataDirectory open(Path directory, Instant now) {
    Path lockFile = directory.resolve("LOCK");
    FileChannel channel = null;
    try {
      Files.createDirectories(directory);
      channel =
          FileChannel.open(
              lockFile,
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
      if (!tryLock(channel)) {
        String holder = Files.readString(lockFile).strip();
        throw new StartRefusedException(
            "data folder "
                + directory.toAbsolutePath().normalize()
                + " is in use by "
                + holder
                + "; stop that process, or give this one a folder of its own with --data-dir",
            null);
      }
      write(channel, "process " + ProcessHandle.current().pid() + ", started " + now);
      return new DataDirectory(directory, lockFile, channel);
    } catch (IOException e) {
      closeQuietly(channel);
      throw new StartRefusedException("data folder " + directory + " cannot be used: " + e, e);
    } catch (StartRefusedException e) {
      closeQuietly(channel);
      throw e;
    }
  }

  private static boolean tryLock(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false; // held by this very process
    }
  }

  private static void write(FileChannel channel, String holder) throws IOException {
    channel.truncate(0);
    channel.write(ByteBuffer.wrap((holder + "\n").getBytes(StandardCharsets.UTF_8)), 0);
    channel.force(true);
  }

  private static void closeQuietly(FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // The reason for closing is already on its way to the user.
    }
  }

  public Path path() {
    return directory;
  }

  @Override
  public String name() {
    return "data";
  }

  @Override
  public String kind() {
    return "embedded";
  }

  @Override
  public String location() {
    return directory.toString();
  }

  /** In trouble while the locked file is not the one in the folder: moved, deleted, unmounted. */
  @Override
  public Optional<String> unavailableReason() {
    try {
      return lockedFile.equals(fileKey())
          ? Optional.empty()
          : Optional.of(lockFile + " is not the file this process locked");
    } catch (IOException e) {
      return Optional.of("cannot read " + lockFile + ": " + e);
    }
  }

  private Object fileKey() throws IOException {
    Object key =
        Files.readAttributes(lockFile, java.nio.file.attribute.BasicFileAttributes.class).fileKey();
    return key == null ? lockFile : key; // not every file system has keys
  }

  @Override
  public void close() {
    closeQuietly(channel);
  }
}
