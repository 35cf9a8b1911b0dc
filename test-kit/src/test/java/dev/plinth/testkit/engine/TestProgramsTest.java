package dev.plinth.testkit.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

class TestProgramsTest {
  @TempDir Path temp;

  @Test
  void program_onThePath_isFound() throws Exception {
    Path program = Files.createFile(temp.resolve("tool"));
    program.toFile().setExecutable(true);
    assertEquals(program, TestPrograms.require("tool", environment("CI", "true")));
  }

  @Test
  void missingProgram_skipsTheTest_andFailsItOnCi() {
    assertThrows(
        TestAbortedException.class, () -> TestPrograms.require("tool", environment("CI", "false")));
    assertThrows(
        AssertionError.class, () -> TestPrograms.require("tool", environment("CI", "true")));
  }

  private TestEnvironment environment(String variable, String value) {
    return new TestEnvironment(Map.of("PATH", temp.toString(), variable, value), false);
  }
}
