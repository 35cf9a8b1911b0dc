package dev.plinth.client.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.plinth.config.v1.Assignment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigCacheTest {
  @TempDir Path directory;

  private static ConfigGroup group(String name, String content) {
    Assignment assignment =
        Assignment.newBuilder()
            .setGroup(name)
            .setEpoch(1)
            .setGeneration(7)
            .addSnapshots(ScriptedConfigs.snapshot("limit", content))
            .build();
    return new ConfigGroup(assignment, Map.of("limit", ByteString.copyFromUtf8(content)));
  }

  private ConfigCache cache() {
    return new ConfigCache(directory.resolve("cache"), "default");
  }

  private Path file() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("cache"))) {
      List<Path> all = files.toList();
      assertEquals(1, all.size(), all::toString);
      return all.get(0);
    }
  }

  @Test
  void groups_areLoadedAsTheyWereStored_theLastOfEach() throws IOException {
    assertEquals(new ConfigCache.Loaded(List.of(), 0), cache().load());
    cache().store(group("a", "one"));
    cache().store(group("a", "two"));
    file();
    cache().store(group("b", ""));
    assertEquals(
        new ConfigCache.Loaded(List.of(group("a", "two"), group("b", "")), 0), cache().load());
  }

  @Test
  void C2_fileWithAnyByteFlipped_isIgnored() throws IOException {
    cache().store(group("a", "one"));
    byte[] whole = Files.readAllBytes(file());
    for (int i = 0; i < whole.length; i++) {
      byte[] damaged = whole.clone();
      damaged[i] ^= 0x10;
      Files.write(file(), damaged);
      assertEquals(new ConfigCache.Loaded(List.of(), 1), cache().load(), "byte " + i);
    }
  }

  @Test
  void C2_fileThatEndsTooEarly_isIgnored() throws IOException {
    cache().store(group("a", "one"));
    byte[] whole = Files.readAllBytes(file());
    for (int length = 0; length < whole.length; length++) {
      Files.write(file(), Arrays.copyOf(whole, length));
      assertEquals(new ConfigCache.Loaded(List.of(), 1), cache().load(), "length " + length);
    }
  }

  @Test
  void crashBeforeTheRename_leavesTheOldFile() throws IOException {
    cache().store(group("a", "one"));
    Path unfinished = directory.resolve("cache").resolve(file().getFileName() + ".tmp");
    Files.write(unfinished, new byte[] {1, 2, 3});
    assertEquals(new ConfigCache.Loaded(List.of(group("a", "one")), 0), cache().load());
    cache().store(group("a", "two"));
    assertEquals(new ConfigCache.Loaded(List.of(group("a", "two")), 0), cache().load());
  }

  @Test
  void filesOfAnotherNamespace_areNotRead() throws IOException {
    cache().store(group("a", "one"));
    ConfigCache other = new ConfigCache(directory.resolve("cache"), "other");
    assertTrue(other.load().groups().isEmpty());
    Files.move(file(), file().resolveSibling("other@a.config"));
    assertEquals(new ConfigCache.Loaded(List.of(), 1), other.load());
  }
}
