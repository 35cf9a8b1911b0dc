package dev.plinth.shards.store.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The files of a folder at one moment. */
record FolderImage(SortedMap<String, byte[]> files) {
  private record Stamp(long size, Object key, Object modified) {}

  /**
   * Takes a copy while a store works in the folder. RocksDB only appends to files, or puts a new
   * one in the place of another: if none changed meanwhile, the copy is of one moment.
   */
  static FolderImage of(Path folder) throws IOException {
    while (true) {
      try {
        SortedMap<String, Stamp> before = stamps(folder);
        SortedMap<String, byte[]> files = new TreeMap<>();
        for (String name : before.keySet()) {
          files.put(name, Files.readAllBytes(folder.resolve(name)));
        }
        if (before.equals(stamps(folder))) {
          return new FolderImage(files);
        }
      } catch (NoSuchFileException e) {
        // Deleted by a compaction or a flush since it was listed.
      }
    }
  }

  private static SortedMap<String, Stamp> stamps(Path folder) throws IOException {
    SortedMap<String, Stamp> stamps = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        BasicFileAttributes at = Files.readAttributes(file, BasicFileAttributes.class);
        // RocksDB's diary tells nothing of its data, and changes all the time.
        if (at.isRegularFile() && !file.getFileName().toString().startsWith("LOG")) {
          stamps.put(
              file.getFileName().toString(),
              new Stamp(at.size(), at.fileKey(), at.lastModifiedTime()));
        }
      }
    }
    return stamps;
  }

  void writeTo(Path folder) throws IOException {
    Files.createDirectories(folder);
    for (String name : files.keySet()) {
      Files.write(folder.resolve(name), files.get(name));
    }
  }

  FolderImage with(String name, byte[] bytes) {
    SortedMap<String, byte[]> changed = new TreeMap<>(files);
    changed.put(name, bytes);
    return new FolderImage(changed);
  }

  FolderImage without(String name) {
    SortedMap<String, byte[]> changed = new TreeMap<>(files);
    changed.remove(name);
    return new FolderImage(changed);
  }

  FolderImage change(String name, UnaryOperator<byte[]> how) {
    return with(name, how.apply(files.get(name).clone()));
  }

  boolean has(String name) {
    return files.containsKey(name);
  }

  /** 0 if it is not there. */
  int size(String name) {
    return has(name) ? files.get(name).length : 0;
  }

  List<String> names(String pattern) {
    return files.keySet().stream().filter(name -> name.matches(pattern)).toList();
  }

  List<String> logs() {
    return names("[0-9]+\\.log");
  }

  /** The manifest that CURRENT names. */
  Optional<String> manifest() {
    return Optional.ofNullable(files.get("CURRENT")).map(name -> new String(name).strip());
  }
}
