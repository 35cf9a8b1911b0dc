package dev.plinth.shards;

import dev.plinth.server.StartRefusedException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The shards that this node cannot serve until a person does something, and why. Health shows them;
 * the log has one line for all that come together.
 */
final class RefusedShards {
  private record Refusal(String why, long at) {}

  private static final Logger log = System.getLogger("plinth.shards");
  // Another node may have mended it.
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Map<Integer, Refusal> refused = new TreeMap<>();
  private final LongSupplier nanos;
  private boolean started;

  RefusedShards(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** From here on the log is told. Throws if a shard was refused before. */
  synchronized void start() {
    text()
        .ifPresent(
            why -> {
              throw new StartRefusedException(why, null);
            });
    started = true;
  }

  /**
   * @param bug what was thrown, if that was not foreseen
   */
  synchronized void add(int shard, String why, Throwable bug) {
    boolean first = refused.isEmpty();
    refused.put(shard, new Refusal(why, nanos.getAsLong()));
    if (first && (started || bug != null)) {
      log.log(Level.ERROR, why, bug);
    }
  }

  synchronized void remove(int shard) {
    if (refused.remove(shard) != null && refused.isEmpty()) {
      log.log(Level.INFO, "no shard is refused any more");
    }
  }

  synchronized boolean mayTry(int shard) {
    Refusal last = refused.get(shard);
    return last == null || nanos.getAsLong() - last.at >= RETRY_NANOS;
  }

  /** Empty while there is none. */
  synchronized Optional<String> text() {
    return refused.values().stream()
        .findFirst()
        .map(first -> "shards " + refused.keySet() + " are not served: " + first.why);
  }
}
