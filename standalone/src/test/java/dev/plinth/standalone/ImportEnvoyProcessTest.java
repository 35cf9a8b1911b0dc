package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.envoy.ImportEnvoyCommand;
import dev.plinth.testkit.TestSettings;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code plinth import-envoy}, as a process where it prints and at a live server where it puts. */
class ImportEnvoyProcessTest {
  private static final String CONFIG =
      """
      domain: mongo_cps
      descriptors:
        - key: database
          value: users
          rate_limit:
            unit: second
            requests_per_unit: 500
      """;

  @TempDir Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... args) {
    return ImportEnvoyCommand.run(List.of(args), new PrintStream(out), new PrintStream(err));
  }

  private String file(String text) throws Exception {
    return Files.writeString(directory.resolve("config.yaml"), text).toString();
  }

  @Test
  void command_printsPoliciesAsPutPolicyTakesThem() throws Exception {
    Process plinth =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                PlinthMain.class.getName(),
                "import-envoy",
                file(CONFIG))
            .redirectErrorStream(true)
            .start();
    String printed = new String(plinth.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, plinth.waitFor(), printed);
    assertTrue(printed.contains("\"domain\": \"mongo_cps\""), printed);
    assertTrue(printed.contains("\"limit\": \"500\""), printed);
  }

  @Test
  void target_getsThePolicies() throws Exception {
    try (PlinthServer plinthServer =
        PlinthServer.start(
            TestSettings.read(
                PlinthSettings.class,
                "--port=0",
                "--admin-port=0",
                "--drain.pause=0s",
                "--data-dir=" + directory.resolve("data")))) {
      String target = "--target=localhost:" + plinthServer.port();
      assertEquals(0, run(target, file(CONFIG)), err.toString());
      assertEquals("put the policy of mongo_cps: version 1, 1 rules\n", out.toString());
      assertEquals(0, run("--target", "localhost:" + plinthServer.port(), file(CONFIG)));
      assertTrue(out.toString().contains("version 2"), out.toString());
    }
    assertEquals(1, run("--target=localhost:1", file(CONFIG)));
    assertTrue(err.toString().startsWith("cannot put at localhost:1: UNAVAILABLE"));
  }

  @Test
  void whatCannotBeRead_isToldWithFileAndLine() throws Exception {
    String bad = file(CONFIG.replace("second", "foo"));
    assertEquals(2, run(bad));
    assertTrue(err.toString().startsWith(bad + ":6: unit \"foo\""), err.toString());
    assertEquals(2, run(directory.resolve("none.yaml").toString()));
    assertEquals(2, run());
    assertEquals(2, run("--nonsense", bad));
    assertEquals("", out.toString());
    assertEquals(0, run("--help"));
    assertTrue(out.toString().startsWith("usage: plinth import-envoy"), out.toString());
  }
}
