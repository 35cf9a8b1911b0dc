package dev.plinth.server;

import java.time.Duration;

/** A started process: {@link #close} ends it cleanly, in no more than {@link #closeAtMost}. */
public interface RunningProcess extends AutoCloseable {
  Duration closeAtMost();

  @Override
  void close();
}
