package dev.plinth.ratelimit.store.embedded;

import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.InvariantsContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedInvariantsTest extends InvariantsContract {
  @TempDir Path parent;
  private TimedEmbeddedStore disk;

  @Override
  protected BudgetStore open() {
    disk = new TimedEmbeddedStore(parent);
    return disk.open();
  }

  @Override
  protected void at(long micros) {
    disk.now = micros;
  }
}
