package dev.plinth.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path parent;

  @Test
  void open_whileHeld_namesTheHolder() {
    Path directory = parent.resolve("a/b");
    try (DataDirectory held = DataDirectory.open(directory, NOW)) {
      StartRefusedException refused =
          assertThrows(
              StartRefusedException.class, () -> DataDirectory.open(directory, NOW.plusSeconds(1)));
      assertTrue(
          refused
              .getMessage()
              .contains("process " + ProcessHandle.current().pid() + ", started " + NOW),
          refused.getMessage());
      assertTrue(refused.getMessage().contains(held.path().toString()));
    }
  }

  @Test
  void open_afterClose_succeeds() {
    DataDirectory.open(parent, NOW).close();
    DataDirectory.open(parent, NOW).close();
  }

  @Test
  void open_ofAFile_isRefused() throws IOException {
    Path file = Files.createFile(parent.resolve("file"));
    assertThrows(StartRefusedException.class, () -> DataDirectory.open(file, NOW));
  }

  @Test
  void trouble_whileTheFolderIsGone_andNoneWhenItIsBack() throws IOException {
    Path directory = parent.resolve("data");
    Path elsewhere = parent.resolve("elsewhere");
    try (DataDirectory data = DataDirectory.open(directory, NOW)) {
      assertEquals(Optional.empty(), data.unavailableReason());
      Files.move(directory, elsewhere);
      assertTrue(data.unavailableReason().orElseThrow().contains("LOCK"));
      Files.createDirectories(directory);
      Files.createFile(directory.resolve("LOCK"));
      assertTrue(data.unavailableReason().orElseThrow().contains("not the file"));
      Files.delete(directory.resolve("LOCK"));
      Files.delete(directory);
      Files.move(elsewhere, directory);
      assertEquals(Optional.empty(), data.unavailableReason());
    }
  }
}
