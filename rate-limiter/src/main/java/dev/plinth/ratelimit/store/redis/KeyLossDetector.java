package dev.plinth.ratelimit.store.redis;

import io.lettuce.core.SetArgs;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;

/**
 * Notices that Redis lost its keys (FLUSHALL, a restart without persistence, a failover to an empty
 * replica), after which every budget is reset: a key that this sets once is gone. Of several nodes
 * on one Redis, the one that sets it again logs it.
 */
final class KeyLossDetector {
  static final String MARKER = "plinth:marker";

  private static final Logger log = System.getLogger("plinth.redis");

  private volatile boolean known;

  /** Does not block; what Redis refuses proves nothing. */
  void check(ReconnectingConnection.LiveConnection connection) {
    connection
        .connection()
        .async()
        .set(bytes(MARKER), bytes("1"), SetArgs.Builder.nx())
        .thenAccept(
            answer -> {
              if (answer != null && known) {
                log.log(
                    Level.WARNING,
                    "Redis lost its keys (flushed, or started without its data); every budget"
                        + " begins anew");
              }
              known = true;
            })
        .exceptionally(
            failure -> {
              connection.failed(failure);
              return null;
            });
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
