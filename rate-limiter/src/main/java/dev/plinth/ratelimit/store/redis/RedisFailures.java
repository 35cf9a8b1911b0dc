package dev.plinth.ratelimit.store.redis;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import io.lettuce.core.RedisException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** What the failure of a command means for its caller. */
final class RedisFailures {
  static final String ENGINE = "redis";

  /** How Lettuce refuses what it has not sent. */
  private static final Pattern UNSENT =
      Pattern.compile("^(Request queue size exceeded|Currently not connected)");

  private RedisFailures() {}

  static StoreUnavailable notSent(String why) {
    return StoreUnavailable.notApplied(ENGINE, why, null);
  }

  /** Of a command that was handed to a connection: unless it was refused, who knows. */
  static StoreUnavailable of(Throwable failure) {
    Throwable cause = failure instanceof CompletionException e ? e.getCause() : failure;
    if (cause instanceof StoreUnavailable known) {
      return known;
    }
    if (cause instanceof TimeoutException) {
      return StoreUnavailable.outcomeUnknown(ENGINE, "no answer in time", null);
    }
    Optional<ErrorReply> reply = ErrorReply.of(cause);
    if (reply.isPresent() && reply.get().scope() == ErrorReply.Scope.REFUSED) {
      return StoreUnavailable.notApplied(ENGINE, reply.get().text(), cause);
    }
    if (cause instanceof RedisException own && UNSENT.matcher("" + own.getMessage()).find()) {
      return notSent(own.getMessage());
    }
    return StoreUnavailable.outcomeUnknown(
        ENGINE, reply.map(ErrorReply::text).orElseGet(() -> reason(cause)), cause);
  }

  /** Whether the script failed on what it was given: another batch would not. */
  static boolean isOwn(Throwable failure) {
    return ErrorReply.of(failure)
        .filter(reply -> reply.scope() == ErrorReply.Scope.REQUEST)
        .isPresent();
  }

  static String reason(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage() == null ? root.toString() : root.getMessage();
  }
}
