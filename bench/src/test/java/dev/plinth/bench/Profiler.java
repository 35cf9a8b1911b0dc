package dev.plinth.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import one.profiler.AsyncProfiler;
import one.profiler.AsyncProfilerLoader;

/**
 * Profiles each row of a bench if {@code -Pprofile=NAME} asks for it: async-profiler in this JVM,
 * where callers and server are. For each row it writes a flame graph and collapsed stacks to
 * build/profiles. {@code -PprofileEvent} is {@code itimer} by default, which needs no permission;
 * {@code cpu} also sees the kernel where perf events are allowed, {@code wall} sees what waits.
 */
public final class Profiler {
  private static final String NAME = System.getProperty("plinth.bench.profile", "");
  private static final String EVENT = System.getProperty("plinth.bench.profile.event", "itimer");

  /** A measurement under a profile. */
  public interface Work<T> {
    T run() throws Exception;
  }

  private Profiler() {}

  public static <T> T during(String row, Work<T> work) throws Exception {
    if (NAME.isEmpty()) {
      return work.run();
    }
    Path directory = Files.createDirectories(Path.of("build", "profiles"));
    AsyncProfiler profiler = load(directory);
    profiler.execute("start,event=" + EVENT + ",interval=1ms,threads");
    try {
      return work.run();
    } finally {
      Path file = directory.resolve(NAME + "-" + row);
      profiler.execute("stop");
      profiler.execute("dump,collapsed,threads,file=" + file + ".collapsed");
      profiler.execute("dump,flamegraph,threads,title=" + row + ",file=" + file + ".html");
      System.out.println("profile: " + file.toAbsolutePath() + ".html and .collapsed");
    }
  }

  private static AsyncProfiler load(Path directory) throws IOException {
    // Not the user's home, where the loader would leave its library behind.
    AsyncProfilerLoader.setExtractionDirectory(directory.toAbsolutePath());
    return AsyncProfilerLoader.load();
  }
}
