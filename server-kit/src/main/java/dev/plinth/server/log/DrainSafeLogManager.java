package dev.plinth.server.log;

import java.util.logging.LogManager;

/**
 * Keeps logging through the drain: the JDK's own manager closes every handler as shutdown begins.
 */
public final class DrainSafeLogManager extends LogManager {
  @Override
  public void reset() {
    // Deliberately nothing: the process halts after its last line.
  }
}
