package dev.plinth.client.internal;

import dev.plinth.client.LeaseState;
import java.time.Duration;

/** What a client counts. Called where it happens, so nothing here may block. */
public interface ClientEvents {
  ClientEvents NONE = new ClientEvents() {};

  /** A request for keys came to its end. */
  default void acquired(String outcome, Duration took) {}

  /** A hold came to its end. */
  default void held(LeaseState end, Duration howLong) {}

  default void jeopardy() {}

  /** A renewal was answered, with this much left of the time before. */
  default void renewed(Duration slack) {}

  default void fenceRejected() {}

  /** The server granted something under a token that must have been higher. */
  default void tokenWentBack() {}
}
