package dev.plinth.ratelimit.store.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The error with which Redis answered a run of the script.
 *
 * @param text what Redis, a command within the script or the script itself said, without what Redis
 *     puts around it. Names of keys, which callers make up, may follow the first words: only those
 *     are looked at.
 */
record ErrorReply(Scope scope, String text) {
  /** Whom an error concerns. */
  enum Scope {
    /** The store as a whole, which did nothing. */
    REFUSED,
    /** The store as a whole; the script may have written a part. */
    BROKEN_OFF,
    /** The requests of the batch: the script failed on what it was given. */
    REQUEST
  }

  /** Redis up to 6.2 puts this before what was said within a script, Redis 7 puts text behind. */
  private static final Pattern WITHIN =
      Pattern.compile(
          "^ERR Error running script \\(call to \\w+\\): (?:@?user_script: ?\\d+: )*-?(.*)$"
              + "|^(?:ERR )?(?:user_script: ?\\d+: )?(.*) script: \\w+, on @user_script:\\d+\\.$",
          Pattern.DOTALL);

  /** With which a command is refused whatever it is about; the script's writes are its last. */
  private static final Pattern REFUSED =
      Pattern.compile(
          "^(LOADING|BUSY|OOM|MISCONF|READONLY|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|MOVED|ASK|TRYAGAIN"
              + "|CROSSSLOT|NOAUTH|NOPERM|Script killed) ");

  /** Redis has no word for what it does not permit to a script, which may have begun to write. */
  private static final Pattern NOT_PERMITTED =
      Pattern.compile(
          "^(The user executing the script can't|ACL failure in script"
              + "|(Lua script|Script) attempted to) ?");

  private static final Pattern REPLICA = Pattern.compile("^(READONLY|MASTERDOWN) ");
  private static final Pattern MOVED = Pattern.compile("^MOVED \\d+ (\\S*:\\d+)");

  /** Empty if it is not an error that Redis answered. */
  static Optional<ErrorReply> of(Throwable failure) {
    Throwable cause = failure instanceof CompletionException e ? e.getCause() : failure;
    return cause instanceof RedisCommandExecutionException error
        ? Optional.of(parse("" + error.getMessage()))
        : Optional.empty();
  }

  private static ErrorReply parse(String message) {
    Matcher within = WITHIN.matcher(message);
    if (!within.matches()) {
      return new ErrorReply(Scope.REFUSED, message); // the script was not run
    }
    String text = within.group(1) != null ? within.group(1) : within.group(2);
    return new ErrorReply(scope(text), text);
  }

  private static Scope scope(String text) {
    if (REFUSED.matcher(text).find()) {
      return Scope.REFUSED;
    }
    return NOT_PERMITTED.matcher(text).find() ? Scope.BROKEN_OFF : Scope.REQUEST;
  }

  /** Whether the server is a replica, which refuses every write. */
  boolean isOfAReplica() {
    return REPLICA.matcher(text).find();
  }

  /**
   * The {@code host:port} that has the keys, if Redis refused since they are at another node. The
   * host is empty if it is that of the node that answered.
   */
  Optional<String> movedTo() {
    Matcher moved = MOVED.matcher(text);
    return moved.find() ? Optional.of(moved.group(1)) : Optional.empty();
  }
}
