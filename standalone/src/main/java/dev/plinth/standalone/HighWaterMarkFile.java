package dev.plinth.standalone;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where this node notes how far shards were: in the data folder, unless a setting says otherwise.
 * On etcd there is one file for each prefix, which the nodes of a machine may share.
 */
final class HighWaterMarkFile {
  private static final Logger log = System.getLogger("plinth.main");

  private HighWaterMarkFile() {}

  /** Empty on etcd where the data folder cannot be written: nothing else there needs a disk. */
  static Optional<Path> of(PlinthSettings settings) {
    if (settings.node().witness().isPresent()) {
      return settings.node().witness();
    }
    Path directory = settings.engines().dataDir();
    if (CoordinationTarget.parse(settings.engines().coordination()).isEmbedded()) {
      return Optional.of(directory.resolve("witness"));
    }
    Path file =
        directory.resolve("witness" + settings.etcd().prefix().replaceAll("[^A-Za-z0-9]", "-"));
    try {
      Files.createDirectories(directory);
      if (Files.isWritable(Files.exists(file) ? file : directory)) {
        return Optional.of(file);
      }
    } catch (IOException e) {
      // Told below, as for a folder that is there.
    }
    log.log(
        Level.WARNING,
        "cannot write "
            + file
            + ": after a restart this node does not notice an etcd that was restored from a"
            + " backup");
    return Optional.empty();
  }
}
