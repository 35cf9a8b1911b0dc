package dev.plinth.standalone.uniqueness;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link UniquenessTest} for as long as one likes: {@code ./gradlew :standalone:uniqueness
 * -Pminutes=10 -Pseed=7}.
 */
@Tag("uniqueness")
class LongUniquenessTest {
  private static final Duration REPORT = Duration.ofSeconds(30);

  @TempDir Path directory;

  @Test
  void noIdComesTwice() throws Exception {
    long seed = Long.getLong("seed");
    System.out.println("seed " + seed);
    long reported = System.nanoTime();
    long end = reported + Duration.ofMinutes(Long.getLong("minutes")).toNanos();
    try (UniquenessRun run = new UniquenessRun(directory, seed)) {
      run.start();
      while (System.nanoTime() - end < 0) {
        run.work(100_000, 2_000);
        run.strike();
        if (System.nanoTime() - reported > REPORT.toNanos()) {
          reported = System.nanoTime();
          System.out.println(run);
        }
      }
      run.work(100_000, 2_000);
      run.finish();
      System.out.println(run);
    }
  }
}
