package dev.plinth.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.standalone.PlinthServer;
import dev.plinth.standalone.PlinthSettings;
import dev.plinth.testkit.TestSettings;
import dev.plinth.testkit.engine.TestPrograms;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The quickstart as a user builds and runs it: its own test, then its main class against a running
 * server. The local repository holds nothing of Plinth but what this build would publish.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // the first run of a machine downloads 150 MB
class QuickstartTest {
  private static final Path ROOT = Path.of(System.getProperty("plinth.root"));
  private static final Path PUBLISHED = Path.of(System.getProperty("plinth.published"));
  private static final boolean OFFLINE = Boolean.getBoolean("plinth.offline");
  private static final String PRINTED =
      "(?s).*lease invoices: token \\d+\\R"
          + "id: invoice \\d+\\R"
          + "limit: 3 of 5 reminders may be sent\\R.*";

  @TempDir Path directory;
  private Path quickstart;
  private LocalRepository repository;
  private PlinthServer server;

  @BeforeEach
  void start() throws IOException {
    quickstart = directory.resolve("quickstart");
    copy(ROOT.resolve("examples/quickstart"), quickstart);
    repository = LocalRepository.of(PUBLISHED, directory.resolve("repository"));
    server =
        PlinthServer.start(
            TestSettings.read(
                PlinthSettings.class,
                "--port=0",
                "--admin-port=0",
                "--drain.pause=0s",
                "--data-dir=" + directory.resolve("data")));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void gradle_buildsTestsAndRunsIt() throws Exception {
    List<String> command = new ArrayList<>(List.of(ROOT.resolve("gradlew").toString()));
    command.addAll(
        List.of("-p", quickstart.toString(), "-g", System.getProperty("plinth.gradle.home")));
    command.addAll(List.of("--no-daemon", "--console=plain", "-q", "test", "run"));
    command.add("-Dmaven.repo.local=" + repository.root());
    command.add("--args=" + target());
    run(command, "--offline");
    assertEquals(List.of("build/test-results/test"), reports());
  }

  @Test
  void maven_buildsTestsAndRunsIt() throws Exception {
    Path cache = TestPrograms.cache("maven-repository");
    List<String> command = new ArrayList<>(List.of(TestPrograms.require("mvn").toString()));
    command.addAll(List.of("--batch-mode", "--no-transfer-progress", "test", "exec:java"));
    command.add("-Dmaven.repo.local=" + repository.root());
    command.add("-Dexec.args=" + target());
    repository.addFrom(cache);
    run(command, "--offline");
    repository.addTo(cache);
    assertEquals(List.of("target/surefire-reports"), reports());
  }

  private String target() {
    return "localhost:" + server.port();
  }

  private void run(List<String> command, String offlineFlag) throws Exception {
    if (OFFLINE) {
      command.add(offlineFlag);
    }
    Path output = directory.resolve("output");
    ProcessBuilder builder = new ProcessBuilder(command).directory(quickstart.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      boolean ended = process.waitFor(9, TimeUnit.MINUTES);
      String printed = Files.readString(output);
      assertTrue(ended, "does not end:\n" + printed);
      assertEquals(0, process.exitValue(), printed);
      assertTrue(printed.matches(PRINTED), printed);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /** The folders with a report of the quickstart's own test, in which it passed. */
  private List<String> reports() throws IOException {
    try (Stream<Path> files = Files.walk(quickstart)) {
      return files
          .filter(file -> file.getFileName().toString().matches("TEST-.*\\.xml"))
          .filter(QuickstartTest::isReportOfPassedTest)
          .map(file -> quickstart.relativize(file.getParent()).toString())
          .distinct()
          .toList();
    }
  }

  private static boolean isReportOfPassedTest(Path file) {
    try {
      String report = Files.readString(file);
      return report.contains("holder_isStopped_whenItsLeaseRunsOut")
          && report.matches("(?s).*<testsuite [^>]*tests=\"1\"[^>]*>.*")
          && !report.matches("(?s).*<(failure|error|skipped).*");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(from)) {
      files = all.filter(Files::isRegularFile).map(from::relativize).toList();
    }
    for (Path file : files) {
      if (!file.toString().matches("(build|target|\\.gradle)/.*")) {
        Files.createDirectories(to.resolve(file).getParent());
        Files.copy(from.resolve(file), to.resolve(file));
      }
    }
  }
}
