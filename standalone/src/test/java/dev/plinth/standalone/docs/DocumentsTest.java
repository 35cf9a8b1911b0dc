package dev.plinth.standalone.docs;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.standalone.PlinthServer;
import dev.plinth.standalone.PlinthSettings;
import dev.plinth.testkit.TestSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs every command and every Java snippet of the README, the tours and the operations page, each
 * document in its order against a new server, and compares the answers that they show.
 */
class DocumentsTest {
  private static final Path ROOT = Path.of(System.getProperty("plinth.root"));
  private static final Pattern TASK = Pattern.compile("\\./gradlew (?:-q )?([:a-zA-Z-]+)");
  private static final List<String> TASKS =
      List.of("run", "check", "installDist", "publishToMavenLocal");

  @TempDir Path data;

  static Stream<Path> documents() throws IOException {
    try (Stream<Path> tours = Files.list(ROOT.resolve("docs/tour"))) {
      List<Path> sorted = tours.sorted().toList();
      Stream<Path> others = Stream.of("README.md", "docs/operations.md").map(ROOT::resolve);
      return Stream.concat(others, sorted.stream());
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void everyCommandAndSnippet_isAnsweredAsShown(Path document) throws Exception {
    List<CodeBlock> blocks = CodeBlock.of(document);
    try (PlinthServer server = start()) {
      ShellSession shell = new ShellSession(ROOT, server);
      JavaSnippet java = new JavaSnippet(ROOT, Files.createDirectory(data.resolve("classes")));
      Iterator<CodeBlock> rest = blocks.iterator();
      String printed = "";
      while (rest.hasNext()) {
        CodeBlock block = rest.next();
        String where = ROOT.relativize(document) + ":" + block.line();
        if (block.isAnswer()) {
          compare(block, printed, where);
          printed = "";
        } else {
          assertFalse(printed.startsWith("ERROR"), where + ": the call before fails: " + printed);
          printed = run(block, shell, java, server.port());
        }
      }
      assertFalse(printed.startsWith("ERROR"), printed);
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void everyGradleTask_exists(Path document) throws IOException {
    Matcher tasks = TASK.matcher(Files.readString(document));
    while (tasks.find()) {
      assertTrue(TASKS.contains(tasks.group(1)), tasks.group(1));
    }
  }

  @Test
  void aWrongAnswer_isNoticed() {
    assertThrows(
        AssertionError.class,
        () -> ShownAnswer.assertJson("{\"count\": 3}", "{\"count\": 4}", "here"));
  }

  private PlinthServer start() {
    return PlinthServer.start(
        TestSettings.read(
            PlinthSettings.class,
            "--port=0",
            "--admin-port=0",
            "--drain.pause=0s",
            "--data-dir=" + data.resolve("data")));
  }

  private static String run(CodeBlock block, ShellSession shell, JavaSnippet java, int port)
      throws Exception {
    String printed = "";
    if (block.language().equals("sh")) {
      for (String command : block.commands()) {
        assertFalse(printed.startsWith("ERROR"), printed);
        printed = shell.run(command);
      }
    } else if (block.language().equals("java")) {
      printed = java.run(block.text(), port);
    }
    return printed;
  }

  private static void compare(CodeBlock shown, String printed, String where) throws Exception {
    if (shown.language().equals("json")) {
      ShownAnswer.assertJson(shown.text(), printed, where);
    } else {
      ShownAnswer.assertText(shown.text(), printed, where);
    }
  }
}
