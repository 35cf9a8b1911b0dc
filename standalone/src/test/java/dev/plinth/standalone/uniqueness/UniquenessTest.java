package dev.plinth.standalone.uniqueness;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I1, I2 and I6: no id twice over a few faults; {@link LongUniquenessTest} goes on for longer. */
class UniquenessTest {
  @TempDir Path directory;

  @Test
  void I1_I2_I6_noIdComesTwice_whoeverMakesIt_overKillsAndPauses() throws Exception {
    try (UniquenessRun run = new UniquenessRun(directory, 4)) {
      run.start();
      for (int i = 0; i < 3; i++) {
        run.work(5_000, 500);
        run.strike();
      }
      run.work(5_000, 500);
      run.finish();
    }
  }
}
