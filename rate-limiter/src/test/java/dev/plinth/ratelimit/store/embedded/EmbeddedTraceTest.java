package dev.plinth.ratelimit.store.embedded;

import dev.plinth.ratelimit.model.TraceContract;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.io.TempDir;

/** A store that is closed and opened all the time decides as one that never was. */
class EmbeddedTraceTest extends TraceContract {
  private static final int CALLS = 7;

  @TempDir Path parent;
  private TimedEmbeddedStore disk;

  @Override
  protected BudgetStore open() {
    disk = new TimedEmbeddedStore(parent);
    return new Reopened();
  }

  @Override
  protected void at(long micros) {
    disk.now = micros;
  }

  @Override
  protected int traces() {
    return 40;
  }

  private final class Reopened implements BudgetStore {
    private EmbeddedBudgetStore store = disk.open();
    private int calls;

    @Override
    public CompletionStage<List<Outcome>> apply(String domain, List<BudgetRequest> batch) {
      if (++calls % CALLS == 0) {
        store.close();
        store = disk.open();
      }
      return store.apply(domain, batch);
    }

    @Override
    public String name() {
      return store.name();
    }

    @Override
    public String kind() {
      return store.kind();
    }

    @Override
    public String location() {
      return store.location();
    }

    @Override
    public Optional<String> unavailableReason() {
      return store.unavailableReason();
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
