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
    try {
      counter.increment(by);
    } catch (Throwable e) {
      failed(e);
    }
  }

  public static void record(Timer timer, Duration time) {
    try {
      timer.record(time);
    } catch (Throwable e) {
      failed(e);
    }
  }

  /** For steps that use the registry itself. */
  public static void run(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      failed(e);
    }
  }

  private static void failed(Throwable thrown) {
    log.log(Level.DEBUG, "a meter failed", thrown);
  }
}
