package dev.plinth.ratelimit.store.redis;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the failure of a command means for its caller. */
final class Failing {
  static final String ENGINE = "redis";

  /**
   * The words of answers with which Redis refuses a script before its first write. Redis 6 wraps
   * what a command inside the script was answered; the word is then further inside.
   */
  private static final Pattern REFUSED =
      Pattern.compile(
          "(^|: -?)(LOADING|BUSY|OOM|MISCONF|READONLY|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|MOVED|ASK"
              + "|TRYAGAIN|CROSSSLOT|NOAUTH|NOPERM|NOSCRIPT) ");

  /** How Redis tells of an error within the script itself, whatever Redis's own state. */
  private static final Pattern OWN = Pattern.compile("(^|: -?)CORRUPT |user_script");

  private static final Pattern READ_ONLY = Pattern.compile("(^|: -?)READONLY ");
  private static final Pattern MOVED = Pattern.compile("^MOVED \\d+ (\\S+:\\d+)");

  /** How Lettuce refuses what it has not sent. */
  private static final Pattern UNSENT =
      Pattern.compile("^(Request queue size exceeded|Currently not connected)");

  private Failing() {}

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
    if (cause instanceof RedisCommandExecutionException told && isRefusal(told.getMessage())) {
      return StoreUnavailable.notApplied(ENGINE, told.getMessage(), cause);
    }
    if (cause instanceof RedisException own && UNSENT.matcher("" + own.getMessage()).find()) {
      return notSent(own.getMessage());
    }
    return StoreUnavailable.outcomeUnknown(ENGINE, reason(cause), cause);
  }

  /** Whether the script failed on what it was given: another batch would not. */
  static boolean isOwn(Throwable failure) {
    Throwable cause = failure instanceof CompletionException e ? e.getCause() : failure;
    return cause instanceof RedisCommandExecutionException told
        && told.getMessage() != null
        && OWN.matcher(told.getMessage()).find()
        && !isRefusal(told.getMessage());
  }

  static boolean isReadOnly(Throwable failure) {
    Throwable cause = failure instanceof CompletionException e ? e.getCause() : failure;
    return cause instanceof RedisCommandExecutionException told
        && told.getMessage() != null
        && READ_ONLY.matcher(told.getMessage()).find();
  }

  /** Where the keys of a command are, if Redis refused it since they are at another node. */
  static Optional<String> movedTo(Throwable failure) {
    Matcher moved = MOVED.matcher("" + failure.getMessage());
    return failure instanceof RedisCommandExecutionException && moved.find()
        ? Optional.of(moved.group(1))
        : Optional.empty();
  }

  static boolean isRefusal(String message) {
    return message != null && REFUSED.matcher(message).find();
  }

  static String reason(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage() == null ? root.toString() : root.getMessage();
  }
}
