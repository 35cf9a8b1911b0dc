package dev.plinth.testkit.engine;

import java.io.File;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What this machine offers the tests: its environment variables, and whether a look at Docker is
 * worth while.
 */
record TestEnvironment(Map<String, String> env, boolean mayHaveDocker) {
  static TestEnvironment current() {
    Map<String, String> env = System.getenv();
    return new TestEnvironment(env, mayHaveDocker(env));
  }

  /**
   * Looks only for a socket: asking Docker's client where there is no Docker costs seconds and
   * prints much.
   */
  private static boolean mayHaveDocker(Map<String, String> env) {
    Path home = Path.of(System.getProperty("user.home"));
    Path rootless = Path.of(env.getOrDefault("XDG_RUNTIME_DIR", "/run"), "docker.sock");
    return env.containsKey("DOCKER_HOST")
        || Files.exists(Path.of("/var/run/docker.sock"))
        || Files.exists(home.resolve(".docker/run/docker.sock"))
        || Files.exists(rootless);
  }

  boolean ci() {
    return "true".equalsIgnoreCase(env.get("CI"));
  }

  boolean has(String variable) {
    return !env.getOrDefault(variable, "").isBlank();
  }

  /** The addresses in a variable of the form {@code host:port[,host:port]}. */
  List<InetSocketAddress> addresses(String variable) {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (String hostPort : env.get(variable).split(",")) {
      int colon = hostPort.lastIndexOf(':');
      String port = hostPort.substring(colon + 1).strip();
      if (colon < 1 || !port.matches("\\d{1,5}")) {
        throw new UnavailableException(variable + ": " + hostPort + " (expected: host:port)");
      }
      String host = hostPort.substring(0, colon).strip();
      addresses.add(new InetSocketAddress(host, Integer.parseInt(port)));
    }
    return addresses;
  }

  Path onPath(String program) {
    for (String directory : env.getOrDefault("PATH", "").split(File.pathSeparator)) {
      Path file = Path.of(directory, program);
      if (!directory.isEmpty() && Files.isRegularFile(file) && Files.isExecutable(file)) {
        return file.toAbsolutePath();
      }
    }
    throw new UnavailableException("no " + program + " on the PATH");
  }

  /** Where fetched engines stay between runs. */
  Path cache() {
    if (has("TESTKIT_CACHE")) {
      return Path.of(env.get("TESTKIT_CACHE")).toAbsolutePath();
    }
    return has("XDG_CACHE_HOME")
        ? Path.of(env.get("XDG_CACHE_HOME"), "plinth")
        : Path.of(System.getProperty("user.home"), ".cache", "plinth");
  }

  static String system() {
    String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return name.startsWith("mac") ? "darwin" : name.startsWith("linux") ? "linux" : name;
  }

  static String processor() {
    String name = System.getProperty("os.arch");
    return name.equals("aarch64") ? "arm64" : name.equals("x86_64") ? "amd64" : name;
  }
}
