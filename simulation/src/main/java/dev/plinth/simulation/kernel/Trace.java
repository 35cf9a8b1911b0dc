package dev.plinth.simulation.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What happened, a line each with virtual milliseconds and who it happened to. Two runs of a seed
 * have the same hash over all lines but notes.
 */
public final class Trace {
  private static final long PRIME = 0x100000001b3L;
  private static final int SHOWN = 40;
  private static final long MICROS = 1000;

  private final List<String> lines = new ArrayList<>();
  private long hash = 0xcbf29ce484222325L;

  void line(long nanos, String who, String what) {
    String line = format(nanos, who, what);
    hash = (hash ^ line.hashCode()) * PRIME;
    lines.add(line);
  }

  /** Counts nothing: for texts that may differ between runs, such as logs. */
  void note(long nanos, String who, String what) {
    lines.add(format(nanos, who, "  (" + what + ")"));
  }

  private static String format(long nanos, String who, String what) {
    long micros = nanos / MICROS;
    StringBuilder line = new StringBuilder(24 + what.length());
    String millis = String.valueOf(micros / 1000);
    line.append(" ".repeat(Math.max(0, 9 - millis.length()))).append(millis).append('.');
    long rest = micros % 1000;
    line.append(rest < 100 ? "0" : "").append(rest < 10 ? "0" : "").append(rest).append("  ");
    return line.append(who)
        .append(" ".repeat(Math.max(1, 8 - who.length())))
        .append(what)
        .toString();
  }

  public long hash() {
    return hash;
  }

  public int size() {
    return lines.size();
  }

  public List<String> last() {
    return List.copyOf(lines.subList(Math.max(0, lines.size() - SHOWN), lines.size()));
  }

  public List<String> all() {
    return List.copyOf(lines);
  }

  public void write(Path file) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.write(file, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
