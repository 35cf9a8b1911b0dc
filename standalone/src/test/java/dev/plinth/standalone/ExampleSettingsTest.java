package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.server.settings.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ExampleSettingsTest {
  @Test
  void exampleFile_isWhatTheRecordsSay() throws Exception {
    Path file = Path.of(System.getProperty("plinth.root"), "plinth.example.properties");
    assertEquals(
        Settings.example(PlinthSettings.class),
        Files.readString(file),
        "make it anew: ./gradlew -q run --args=--print-example > plinth.example.properties");
  }
}
