package dev.plinth.testkit.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a main class of these tests in a JVM of its own. */
final class ChildJvm {
  private ChildJvm() {}

  /** What the child prints comes from its input reader; its temporary files go to the folder. */
  static Process start(Class<?> main, Path temp, String... args) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + temp));
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    line.addAll(List.of(args));
    return new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
