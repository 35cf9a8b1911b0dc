package dev.plinth.client.config;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.StringValue;
import dev.plinth.config.v1.Assignment;
import dev.plinth.config.v1.Snapshot;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What an agent applied last, in one file for each group. A file is replaced as a whole: a crash
 * leaves the old one or the new one. One that is damaged, or of another namespace, is ignored, with
 * a warning.
 *
 * <p>A file is a line with the format, the SHA-256 of the rest in 32 bytes, and the rest: the
 * namespace, the assignment and the content of each snapshot, each as a message with its length.
 */
final class ConfigCache {
  private static final Logger log = System.getLogger("plinth.client");
  private static final byte[] FORMAT = "plinth-config-cache 1\n".getBytes(StandardCharsets.UTF_8);
  private static final int HASH = 32;
  private static final String SUFFIX = ".config";
  private static final String UNFINISHED = ".tmp";
  private static final long MAX_FILE = 8L << 20;

  private final Path directory;
  private final String namespace;

  ConfigCache(Path directory, String namespace) {
    this.directory = directory;
    this.namespace = namespace;
  }

  /**
   * What was in the files.
   *
   * @param damaged files that were ignored
   */
  record Loaded(List<ConfigGroup> groups, int damaged) {}

  /** Everything that is whole. */
  Loaded load() {
    List<ConfigGroup> groups = new ArrayList<>();
    int damaged = 0;
    if (!Files.isDirectory(directory)) {
      return new Loaded(groups, damaged);
    }
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        if (file.getFileName().toString().startsWith(prefix())
            && file.getFileName().toString().endsWith(SUFFIX)) {
          damaged += load(file, groups) ? 0 : 1;
        }
      }
    } catch (IOException e) {
      log.log(Level.WARNING, "the cache of configs in " + directory + " cannot be read", e);
    }
    return new Loaded(groups, damaged);
  }

  private boolean load(Path file, List<ConfigGroup> groups) {
    try {
      if (Files.size(file) > MAX_FILE) {
        throw new IOException("it is too long");
      }
      return groups.add(parse(Files.readAllBytes(file)));
    } catch (IOException e) {
      log.log(Level.WARNING, "the cached config {0} is ignored: {1}", file, String.valueOf(e));
      return false;
    }
  }

  private ConfigGroup parse(byte[] bytes) throws IOException {
    int start = FORMAT.length + HASH;
    if (bytes.length < start || !Arrays.equals(FORMAT, Arrays.copyOf(bytes, FORMAT.length))) {
      throw new IOException("it is not of the format " + new String(FORMAT, 0, FORMAT.length - 1));
    }
    byte[] rest = Arrays.copyOfRange(bytes, start, bytes.length);
    byte[] hash = Arrays.copyOfRange(bytes, FORMAT.length, start);
    if (!MessageDigest.isEqual(hash, ContentVerifier.sha256(rest))) {
      throw new IOException("it does not have its SHA-256");
    }
    ByteArrayInputStream in = new ByteArrayInputStream(rest);
    String of = whole(StringValue.parseDelimitedFrom(in)).getValue();
    if (!of.equals(namespace)) {
      throw new InvalidProtocolBufferException("it is of the namespace " + of);
    }
    Assignment assignment = whole(Assignment.parseDelimitedFrom(in));
    Map<String, ByteString> contents = new HashMap<>();
    for (Snapshot snapshot : assignment.getSnapshotsList()) {
      BytesValue content = whole(BytesValue.parseDelimitedFrom(in));
      contents.put(snapshot.getConfig(), content.getValue());
    }
    return new ConfigGroup(assignment, contents);
  }

  private static <T> T whole(T message) throws IOException {
    if (message == null) {
      throw new IOException("it ends too early");
    }
    return message;
  }

  /** In place of what there was of the group. */
  void store(ConfigGroup group) throws IOException {
    ByteArrayOutputStream rest = new ByteArrayOutputStream();
    StringValue.of(namespace).writeDelimitedTo(rest);
    group.assignment().writeDelimitedTo(rest);
    for (Snapshot snapshot : group.assignment().getSnapshotsList()) {
      BytesValue.of(group.contents().get(snapshot.getConfig())).writeDelimitedTo(rest);
    }
    Files.createDirectories(directory);
    Path file = directory.resolve(prefix() + encode(group.group()) + SUFFIX);
    Path unfinished = directory.resolve(file.getFileName() + UNFINISHED);
    byte[] payload = rest.toByteArray();
    write(unfinished, FORMAT, ContentVerifier.sha256(payload), payload);
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    syncDirectory();
  }

  private static void write(Path file, byte[]... parts) throws IOException {
    try (FileChannel out =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      for (byte[] part : parts) {
        ByteBuffer left = ByteBuffer.wrap(part);
        while (left.hasRemaining()) {
          out.write(left);
        }
      }
      out.force(true);
    }
  }

  /** So that the new name is there after a crash of the machine, too. */
  private void syncDirectory() throws IOException {
    try (FileChannel folder = FileChannel.open(directory, StandardOpenOption.READ)) {
      folder.force(true);
    }
  }

  private String prefix() {
    return encode(namespace) + "@";
  }

  private static String encode(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8);
  }
}
