package dev.plinth.ratelimit.store.embedded;

import dev.plinth.ratelimit.core.BudgetStore;
import dev.plinth.ratelimit.core.BudgetTicketsContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedTicketsTest extends BudgetTicketsContract {
  @TempDir Path parent;
  private TimedFolder disk;

  @Override
  protected BudgetStore open() {
    disk = new TimedFolder(parent);
    return disk.open();
  }

  @Override
  protected void at(long micros) {
    disk.now = micros;
  }
}
