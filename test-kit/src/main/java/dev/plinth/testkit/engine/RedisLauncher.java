package dev.plinth.testkit.engine;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Where Redis comes from and how it is started. */
final class RedisLauncher {
  private static final String ADDRESS = "TESTKIT_REDIS";

  /** An acknowledged write is on disk, and the log of writes is the only copy. */
  private static final List<String> DURABLE =
      List.of("--appendonly", "yes", "--appendfsync", "always", "--save", "");

  private RedisLauncher() {}

  static List<EngineSource> sources(TestEnvironment testEnvironment) {
    if (testEnvironment.has(ADDRESS)) {
      return List.of(GivenServer.source(testEnvironment, ADDRESS, 1, RedisTransport.PLAIN::pongs));
    }
    List<EngineSource> sources = sources(testEnvironment, RedisLauncher::process);
    sources.add(new EngineSource("Docker", () -> container(testEnvironment)));
    return sources;
  }

  /** Starts several servers of one program and makes one engine of them. */
  interface Setup {
    List<EngineNode> start(Path program) throws Exception;
  }

  /** Wherever the program comes from. */
  static List<EngineSource> sources(TestEnvironment testEnvironment, Setup setup) {
    List<EngineSource> sources = new ArrayList<>();
    sources.add(
        new EngineSource("program", () -> setup.start(testEnvironment.onPath("redis-server"))));
    for (String platform : platforms()) {
      sources.add(
          new EngineSource(
              "binary for " + platform, () -> setup.start(bundled(testEnvironment, platform))));
    }
    return sources;
  }

  /** The 64-bit binary wants the system's OpenSSL 3; the 32-bit one wants nothing. */
  private static List<String> platforms() {
    String own = TestEnvironment.system() + "-" + TestEnvironment.processor();
    return own.equals("linux-amd64") ? List.of(own, "linux-386") : List.of(own);
  }

  private static Path bundled(TestEnvironment testEnvironment, String platform)
      throws IOException, InterruptedException {
    URL mark = RedisLauncher.class.getResource("/redis/embedded/RedisServer.class");
    if (mark == null || !(mark.openConnection() instanceof JarURLConnection connection)) {
      throw new UnavailableException("no embedded-redis jar on the class path");
    }
    JarFile jar = connection.getJarFile(); // the class loader's own: not to be closed
    JarEntry entry =
        jar.stream()
            .filter(e -> e.getName().matches("redis-server-.*-" + platform))
            .findFirst()
            .orElseThrow(() -> new UnavailableException("not in " + jar.getName()));
    EngineCache.Fetch copy =
        directory -> {
          Path program = directory.resolve("redis-server");
          try (InputStream in = jar.getInputStream(entry)) {
            Files.copy(in, program);
          }
          if (!program.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + program + " executable");
          }
        };
    return new EngineCache(testEnvironment.cache())
        .directory(entry.getName(), copy)
        .resolve("redis-server");
  }

  private static List<EngineNode> process(Path program) throws IOException {
    return process(program, RedisTransport.PLAIN);
  }

  static List<EngineNode> process(Path program, RedisTransport transport) throws IOException {
    return FreePortLauncher.onFreePorts(1, ports -> List.of(server(program, ports[0], transport)));
  }

  static EngineNode server(Path program, int port, RedisTransport transport, String... options)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of("--bind", "127.0.0.1"));
    command.addAll(transport.options(port));
    command.addAll(List.of(options));
    command.addAll(DURABLE);
    return new EngineNode(
        Ports.local(port),
        transport::pongs,
        new SupervisedProcess(FreePortLauncher.directory("redis"), Map.of(), command));
  }

  private static List<EngineNode> container(TestEnvironment testEnvironment) throws IOException {
    DockerServer.Image image =
        DockerServer.image(testEnvironment, "TESTKIT_REDIS_IMAGE", "redis:7");
    List<String> command = new ArrayList<>(List.of("redis-server"));
    command.addAll(DURABLE);
    return FreePortLauncher.onFreePorts(
        1,
        ports -> {
          DockerServer server = image.server(ports[0], 6379, command);
          return List.of(
              new EngineNode(image.address(ports[0]), RedisTransport.PLAIN::pongs, server));
        });
  }
}
