package dev.plinth.client.internal;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/**
 * Meters of a registry that is the application's and may throw, which must harm nothing that is
 * measured. Needs Micrometer. Not for applications: it changes as the client does.
 */
public final class SafeMeters {
  private static final Logger log = System.getLogger("plinth.client");

  private SafeMeters() {}

  public static void increment(Counter counter, double by) {
    run(() -> counter.increment(by));
  }

  public static void record(Timer timer, Duration time) {
    run(() -> timer.record(time));
  }

  /** For steps that use the registry itself. */
  public static void run(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      log.log(Level.DEBUG, "a meter failed", e);
    }
  }
}
