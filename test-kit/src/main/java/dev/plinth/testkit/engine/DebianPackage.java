package dev.plinth.testkit.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Takes a program out of a Debian package. Needs neither root nor the system's package lists: apt
 * works with the system's sources but in folders of its own, and nothing is installed.
 */
record DebianPackage(String name, String program, TestEnvironment testEnvironment) {
  private static final int LIMIT_MINUTES = 5;

  /** Puts the program into a folder, beside nothing else. */
  void unpack(Path directory) throws IOException, InterruptedException {
    String apt = testEnvironment.onPath("apt-get").toString();
    String dpkg = testEnvironment.onPath("dpkg").toString();
    Path work = Files.createDirectory(directory.resolve("work"));
    Files.createDirectories(work.resolve("lists/partial"));
    Files.createDirectories(work.resolve("archives/partial"));
    // A failed update (one source of several, a system's hook) matters only if the download then
    // fails as well.
    String update = run(work, aptLine(apt, work, "update")).output();
    Result download = run(work, aptLine(apt, work, "download", name));
    if (download.status() != 0) {
      throw new UnavailableException("apt-get: " + (update + download.output()).strip());
    }
    Result unpacked = run(work, List.of(dpkg, "-x", archive(work).toString(), "files"));
    if (unpacked.status() != 0) {
      throw new UnavailableException("dpkg: " + unpacked.output().strip());
    }
    Path file = work.resolve("files/usr/bin").resolve(program);
    Files.move(file, directory.resolve(program), StandardCopyOption.ATOMIC_MOVE);
    EngineCache.delete(work);
  }

  private static List<String> aptLine(String apt, Path work, String... command) {
    List<String> line = new ArrayList<>(List.of(apt, "-q"));
    for (String option :
        List.of(
            "Dir::State=" + work,
            "Dir::State::lists=" + work.resolve("lists"),
            "Dir::State::status=/dev/null",
            "Dir::Cache=" + work,
            "Acquire::Languages=none",
            "Acquire::Retries=2",
            "Acquire::http::Timeout=15",
            "Acquire::https::Timeout=15",
            "APT::Sandbox::User=root")) { // root's cache folder is closed to the user that apt
      // would become
      line.addAll(List.of("-o", option));
    }
    line.addAll(List.of(command));
    return line;
  }

  private static Path archive(Path work) throws IOException {
    try (Stream<Path> files = Files.list(work)) {
      return files.filter(file -> file.toString().endsWith(".deb")).findFirst().orElseThrow();
    }
  }

  private record Result(int status, String output) {}

  private static Result run(Path work, List<String> line) throws IOException, InterruptedException {
    Path output = Files.createTempFile(work, "output", "");
    Process process =
        new ProcessBuilder(line)
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    process.getOutputStream().close();
    try {
      if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
        return new Result(-1, "no end after " + LIMIT_MINUTES + " minutes");
      }
    } finally {
      process.destroyForcibly();
    }
    return new Result(process.exitValue(), Files.readString(output));
  }
}
