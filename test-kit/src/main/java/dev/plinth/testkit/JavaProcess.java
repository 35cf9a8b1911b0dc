package dev.plinth.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A main class in a JVM of its own, on the class path of the test: for what only a whole process
 * can show. It does not outlive the test's JVM, however that ends.
 */
public final class JavaProcess implements AutoCloseable {
  /**
   * Passes on the exit code, and kills its child when standard input ends. The child runs in the
   * foreground, since a shell makes background processes deaf to SIGINT; its id comes back as the
   * first line of input. A build that was itself started in the background is deaf to it too, and
   * only env can undo that.
   */
  private static final String LEASH =
      """
      exec 3<&0
      env --default-signal=INT true 2>/dev/null && set -- env --default-signal=INT "$@"
      { read -r child; cat; kill -KILL "$child"; } <&3 >/dev/null 2>&1 &
      sh -c 'echo $$; exec "$@"' child "$@" </dev/null
      """;

  // It lives for seconds: to compile it well, on all cores, would take them from the others.
  private static final List<String> BRIEF_LIFE =
      List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private final Process shell;
  private final long pid;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private JavaProcess(Path directory, List<String> command) throws IOException {
    List<String> leashed = new ArrayList<>(List.of("sh", "-c", LEASH, "leash"));
    leashed.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(leashed).redirectErrorStream(true);
    shell = builder.directory(directory.toFile()).start();
    BufferedReader output = shell.inputReader();
    pid = Long.parseLong(output.readLine());
    shell.outputWriter().append(String.valueOf(pid)).append('\n').flush();
    FaultProxy.daemon("output-" + pid, () -> output.lines().forEach(lines::add));
  }

  public static JavaProcess start(Path directory, Class<?> main, String... args) {
    return start(directory, BRIEF_LIFE, main, args);
  }

  /** With options of the JVM in place of those for a brief life. */
  public static JavaProcess start(
      Path directory, List<String> options, Class<?> main, String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(args));
    try {
      return new JavaProcess(directory, command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public long pid() {
    return pid;
  }

  /** Waits for a line that holds the pattern, and gives its match. */
  public Matcher awaitLine(String pattern) {
    Pattern wanted = Pattern.compile(pattern);
    Await.until(
        "a line with " + pattern + " from process " + pid,
        () -> !shell.isAlive() || lines.stream().anyMatch(line -> wanted.matcher(line).find()));
    return lines.stream()
        .map(wanted::matcher)
        .filter(Matcher::find)
        .findFirst()
        .orElseThrow(
            () -> new AssertionError("process ended without " + pattern + ":\n" + output()));
  }

  public boolean isAlive() {
    return shell.isAlive();
  }

  /** What it has printed so far, both streams. */
  public String output() {
    return String.join("\n", lines);
  }

  /** Sends TERM, INT, STOP, CONT, ... */
  public void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, String.valueOf(pid)).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the end by itself. */
  public int exitCode() {
    try {
      if (!shell.waitFor(60, TimeUnit.SECONDS)) {
        throw new AssertionError("process " + pid + " does not end:\n" + output());
      }
      return shell.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** SIGKILL. */
  public void kill() {
    signal("KILL");
    exitCode();
  }

  @Override
  public void close() {
    if (shell.isAlive()) {
      kill();
    }
    try {
      shell.outputWriter().close();
    } catch (IOException e) {
      // The leash was gone already.
    }
  }
}
