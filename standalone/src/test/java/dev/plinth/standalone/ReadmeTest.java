package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.envoy.ImportEnvoy;
import dev.plinth.testkit.TestSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs every grpcurl and curl line of the README against a live process, in the README's order. */
class ReadmeTest {
  private static final Path ROOT = Path.of(System.getProperty("plinth.root"));
  // grpcurl -plaintext [-d 'JSON'] localhost:7450 [list | describe X | package.Service/Method]
  private static final Pattern GRPCURL =
      Pattern.compile("grpcurl -plaintext (?:-d '([^']*)' )?localhost:7450 (\\S+)(?: (\\S+))?");
  private static final Pattern CURL = Pattern.compile("curl (?:-s )?localhost:7451(/\\S*)");

  private static final Pattern IMPORT =
      Pattern.compile("./gradlew run --args='import-envoy --target=localhost:7450 (\\S+)'");
  private static final Pattern JAVA = Pattern.compile("(?s)```java\n(.*?)```");
  private static final Pattern TOKEN = Pattern.compile("\"token\": \"(\\d+)\"");
  private static final Pattern SESSION = Pattern.compile("\"sessionId\":\\s*\"([^\"]+)\"");

  @TempDir Path data;
  // The last one that an answer showed; the README says TOKEN for it.
  private String token = "";
  private String session = "";
  private PlinthServer plinthServer;

  @BeforeEach
  void start() {
    plinthServer =
        PlinthServer.start(
            TestSettings.read(
                PlinthSettings.class,
                "--port=0",
                "--admin-port=0",
                "--drain.pause=0s",
                "--data-dir=" + data));
  }

  @AfterEach
  void stop() {
    plinthServer.close();
  }

  @Test
  void everyCall_isAnswered() throws Exception {
    int calls = 0;
    for (String line : commands()) {
      Matcher grpcurl = GRPCURL.matcher(line);
      Matcher curl = CURL.matcher(line);
      if (grpcurl.matches()) {
        String output = call(grpcurl.group(1), grpcurl.group(2));
        Matcher granted = TOKEN.matcher(output);
        token = granted.find() ? granted.group(1) : token;
        Matcher opened = SESSION.matcher(output);
        session = opened.find() ? opened.group(1) : session;
        calls++;
      } else if (line.contains("import-envoy")) {
        importEnvoy(line);
        calls++;
      } else if (curl.matches()) {
        get(curl.group(1));
        calls++;
      } else {
        assertFalse(line.contains("curl"), "not understood by this test: " + line);
      }
    }
    assertTrue(calls >= 4, "calls found: " + calls);
  }

  @Test
  void everyGradleTask_andEveryLinkedFile_exists() throws IOException {
    String readme = Files.readString(ROOT.resolve("README.md"));
    Matcher links = Pattern.compile("\\]\\(([^)#:]+)\\)").matcher(readme);
    while (links.find()) {
      assertTrue(Files.exists(ROOT.resolve(links.group(1))), links.group(1));
    }
    Matcher tasks = Pattern.compile("\\./gradlew ([a-zA-Z]+)").matcher(readme);
    List<String> known = List.of("run", "check", "test", "installDist", "formatApply");
    while (tasks.find()) {
      assertTrue(known.contains(tasks.group(1)), tasks.group(1));
    }
  }

  @Test
  void javaSnippets_areThoseThatTestsRun() throws IOException {
    List<String> tests =
        List.of(
            "ReadmeSnippetTest",
            "ReadmeElectionSnippetTest",
            "id/ReadmeIdsSnippetTest",
            "limit/ReadmeLimitsSnippetTest");
    List<String> blocks =
        JAVA.matcher(Files.readString(ROOT.resolve("README.md")))
            .results()
            .map(block -> plain(block.group(1)))
            .toList();
    assertEquals(tests.size(), blocks.size());
    for (int i = 0; i < tests.size(); i++) {
      String test =
          Files.readString(
              ROOT.resolve("client/src/test/java/dev/plinth/client/" + tests.get(i) + ".java"));
      int from = test.indexOf("// snippet:start") + "// snippet:start".length();
      assertEquals(plain(test.substring(from, test.indexOf("// snippet:end"))), blocks.get(i));
    }
  }

  /** Without indentation, which differs. */
  private static String plain(String text) {
    return text.strip().replaceAll("(?m)^ +", "");
  }

  /** The lines of the shell blocks, without comments. */
  private static List<String> commands() throws IOException {
    List<String> lines = new ArrayList<>();
    boolean inside = false;
    for (String line : Files.readAllLines(ROOT.resolve("README.md"))) {
      if (line.startsWith("```")) {
        inside = line.equals("```sh");
      } else if (inside) {
        lines.add(line.replaceAll("\\s+#.*$", "").strip());
      }
    }
    return lines;
  }

  private String filledIn(String json) {
    return json.replace("\"TOKEN\"", '"' + token + '"').replace("\"SESSION\"", '"' + session + '"');
  }

  /** buf curl speaks to a server as grpcurl does, and the build has it. */
  private String call(String json, String what) throws Exception {
    String server = "http://127.0.0.1:" + plinthServer.port();
    List<String> command = new ArrayList<>(List.of(System.getProperty("plinth.buf"), "curl"));
    command.addAll(List.of("--protocol", "grpc", "--http2-prior-knowledge"));
    if (what.equals("list")) {
      command.addAll(List.of("--list-services", server));
    } else {
      String data = json == null ? "{}" : filledIn(json);
      command.addAll(List.of("--data", data, server + "/" + what));
    }
    Process buf = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(buf.getInputStream().readAllBytes());
    assertEquals(0, buf.waitFor(), what + ": " + output);
    return output;
  }

  private void importEnvoy(String line) {
    Matcher command = IMPORT.matcher(line);
    assertTrue(command.matches(), "not understood by this test: " + line);
    String target = "--target=localhost:" + plinthServer.port();
    String file = ROOT.resolve(command.group(1)).toString();
    assertEquals(0, ImportEnvoy.run(List.of(target, file), System.out, System.err), line);
  }

  private void get(String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + plinthServer.adminPort() + path);
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    assertEquals(200, answer.statusCode(), path);
  }
}
