package dev.plinth.server.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A secret that settings know only by the file that holds it, so that it shows in no process list,
 * environment dump or printed configuration. Its key ends in {@code -file}.
 */
public record Secret(Path file) {
  /** Reads the file now, without the line end that editors add. */
  public String reveal() throws IOException {
    return Files.readString(file).stripTrailing();
  }
}
