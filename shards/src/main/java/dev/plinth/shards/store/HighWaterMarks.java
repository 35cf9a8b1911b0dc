package dev.plinth.shards.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A file of numbers that only rise, each on a line with its name. They are written in place and not
 * synced: the file survives the death of the process. After a crash of the machine it may be behind
 * what was written, never ahead. A line never lies across two pages, so none is ever half written.
 */
public final class HighWaterMarks implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.shards");
  private static final int LINE = 32;
  private static final int DIGITS = 19;

  private final Path file;
  private final FileChannel channel;
  private final long[] marks;
  private final ByteBuffer lines;
  private int from = Integer.MAX_VALUE; // the lines to be written, or none
  private int to = -1;
  private boolean failed;

  private HighWaterMarks(Path file, FileChannel channel, long[] marks, ByteBuffer lines) {
    this.file = file;
    this.channel = channel;
    this.marks = marks;
    this.lines = lines;
  }

  /**
   * Opens the file, made with zeroes if it is not there.
   *
   * @throws IOException also if there is something in it that is not a name and a number
   */
  public static HighWaterMarks open(Path file, List<String> names) throws IOException {
    Map<String, Long> read = read(file);
    long[] marks = new long[names.size()];
    ByteBuffer lines = ByteBuffer.allocate(names.size() * LINE);
    for (int i = 0; i < marks.length; i++) {
      marks[i] = read.getOrDefault(names.get(i), 0L);
      lines.put(line(names.get(i), marks[i]));
    }
    // Nodes of one machine may share the file: it is replaced only if it cannot be written in
    // place.
    if (!Files.exists(file) || Files.size(file) != lines.capacity()) {
      Path next = file.resolveSibling(file.getFileName() + ".next");
      Files.write(next, lines.array());
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    return new HighWaterMarks(file, channel, marks, lines);
  }

  private static Map<String, Long> read(Path file) throws IOException {
    Map<String, Long> read = new HashMap<>();
    if (Files.exists(file)) {
      for (String line : new String(Files.readAllBytes(file), US_ASCII).split("\n")) {
        int space = line.lastIndexOf(' ');
        if (!line.matches("[a-z0-9]+ +[0-9]{1,19}")) {
          throw new IOException(file + " has the line \"" + line + "\" (expected: name number)");
        }
        read.merge(line.substring(0, space).strip(), number(line.substring(space + 1)), Math::max);
      }
    }
    return read;
  }

  private static long number(String digits) throws IOException {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw new IOException(digits + " is no number that fits", e);
    }
  }

  private static byte[] line(String name, long mark) throws IOException {
    String padded = "%-12s%019d\n".formatted(name, mark);
    if (padded.length() != LINE || !name.matches("[a-z0-9]{1,11}")) {
      throw new IOException("no name of a mark: " + name);
    }
    return padded.getBytes(US_ASCII);
  }

  public synchronized long get(int index) {
    return marks[index];
  }

  /** Takes note of a number, if it is higher; {@link #write} writes it. */
  public synchronized void raise(int index, long mark) {
    if (mark > marks[index]) {
      set(index, mark);
    }
  }

  /** Takes note of a number that is lower: what was lost is given up. */
  public synchronized void reset(int index, long mark) {
    set(index, mark);
  }

  private void set(int index, long mark) {
    marks[index] = mark;
    int last = (index + 1) * LINE - 2;
    long rest = mark;
    for (int i = 0; i < DIGITS; i++, rest /= 10) {
      lines.put(last - i, (byte) ('0' + rest % 10));
    }
    from = Math.min(from, index);
    to = Math.max(to, index);
  }

  /** Takes over what is higher in the file: nodes of one machine may share it. */
  public synchronized void merge() {
    ByteBuffer read = ByteBuffer.allocate(lines.capacity());
    try {
      if (to >= from && channel.read(read, 0) == lines.capacity()) {
        for (int i = 0; i < marks.length; i++) {
          raise(i, number(new String(read.array(), (i + 1) * LINE - 1 - DIGITS, DIGITS, US_ASCII)));
        }
      }
    } catch (IOException e) {
      // Written over by somebody: what is known here is written over it.
    }
  }

  /** Failing that, the file is behind, which makes it less watchful and not wrong. */
  public synchronized void write() {
    if (to < from) {
      return;
    }
    try {
      ByteBuffer changed = lines.duplicate().position(from * LINE).limit((to + 1) * LINE);
      channel.write(changed, (long) from * LINE);
      failed = false;
      from = Integer.MAX_VALUE;
      to = -1;
    } catch (IOException e) {
      if (!failed) {
        log.log(Level.WARNING, "cannot write " + file + ": " + e.getMessage());
      }
      failed = true;
    }
  }

  @Override
  public synchronized void close() {
    write();
    try {
      channel.close();
    } catch (IOException e) {
      log.log(Level.WARNING, "cannot close " + file + ": " + e.getMessage());
    }
  }
}
