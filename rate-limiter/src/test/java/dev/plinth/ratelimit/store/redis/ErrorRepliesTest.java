package dev.plinth.ratelimit.store.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Replies that were recorded from Redis 6.2 and 7.0: whom each error concerns. */
class ErrorRepliesTest {
  private static final String SHA = "77bfb016fd72529040592b329a2bd300a3169ef8";
  private static final String IN_6 =
      "ERR Error running script (call to f_" + SHA + "): @user_script:2: ";
  private static final String COMMAND_IN_6 = IN_6 + "@user_script: 2: ";
  private static final String IN_7 = " script: " + SHA + ", on @user_script:2.";

  /** What a reply means for the request that got it. */
  private enum Meaning {
    REFUSED_BY_STORE,
    FAILED_BY_STORE,
    OWN_ERROR
  }

  static Stream<Arguments> replies() {
    return Stream.concat(
        Stream.of(
                "LOADING Redis is loading the dataset in memory",
                "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN"
                    + " NOSAVE.",
                "MISCONF Redis is configured to save RDB snapshots, but it is currently not able"
                    + " to persist on disk.",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "CLUSTERDOWN Hash slot not served",
                "CLUSTERDOWN The cluster is down",
                "MOVED 3999 127.0.0.1:6381",
                "ASK 3999 127.0.0.1:6381",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "CROSSSLOT Keys in request don't hash to the same slot",
                "NOAUTH Authentication required.",
                "NOPERM this user has no permissions to run the 'evalsha' command",
                "NOPERM this user has no permissions to access one of the keys used as arguments",
                "ERR unknown command `EVALSHA`, with args beginning with: `x`, `0`, ",
                COMMAND_IN_6 + "-OOM command not allowed when used memory > 'maxmemory'.",
                COMMAND_IN_6 + "-NOREPLICAS Not enough good replicas to write.",
                COMMAND_IN_6 + "-READONLY You can't write against a read only replica.",
                COMMAND_IN_6 + "-MISCONF Redis is configured to save RDB snapshots, but ...",
                IN_6 + "Script killed by user with SCRIPT KILL...",
                "OOM command not allowed when used memory > 'maxmemory'." + IN_7,
                "NOREPLICAS Not enough good replicas to write." + IN_7,
                "READONLY You can't write against a read only replica." + IN_7,
                "MISCONF Redis is configured to save RDB snapshots, but ..." + IN_7,
                "ERR Script killed by user with SCRIPT KILL..." + IN_7)
            .map(reply -> Arguments.of(reply, Meaning.REFUSED_BY_STORE)),
        Stream.concat(
            Stream.of(
                    COMMAND_IN_6
                        + "The user executing the script can't run this command or subcommand",
                    COMMAND_IN_6
                        + "The user executing the script can't access at least one of the keys"
                        + " mentioned in the command arguments",
                    COMMAND_IN_6
                        + "Lua script attempted to access a non local key in a cluster node",
                    "ERR The user executing the script can't run this command or subcommand" + IN_7,
                    "ERR ACL failure in script: User default has no permissions to run the 'set'"
                        + " command"
                        + IN_7,
                    "ERR Script attempted to access a non local key in a cluster node" + IN_7,
                    "ERR Script attempted to execute a command while the cluster is down" + IN_7)
                .map(reply -> Arguments.of(reply, Meaning.FAILED_BY_STORE)),
            Stream.of(
                    IN_6 + "user_script:2: CORRUPT plinth:{d}:b:rate|tenant=a",
                    IN_6 + "user_script:2: CORRUPT plinth:{d}:b:rate|tenant=x: OOM y",
                    IN_6 + "user_script:2: CORRUPT plinth:{d}:b:rate|tenant=x: -READONLY y",
                    IN_6 + "user_script:2: too many results to unpack",
                    IN_6 + "WRONGTYPE Operation against a key holding the wrong kind of value",
                    "ERR user_script:2: CORRUPT plinth:{d}:b:rate|tenant=a" + IN_7,
                    "ERR user_script:2: CORRUPT plinth:{d}:b:rate|tenant=x: LOADING y" + IN_7,
                    "ERR user_script:2: too many results to unpack" + IN_7,
                    "WRONGTYPE Operation against a key holding the wrong kind of value" + IN_7)
                .map(reply -> Arguments.of(reply, Meaning.OWN_ERROR))));
  }

  @ParameterizedTest
  @MethodSource("replies")
  void errorReply_concernsTheStore_orTheRequestAlone(String reply, Meaning meaning) {
    Throwable failure = new RedisCommandExecutionException(reply);
    assertEquals(meaning, meaning(failure));
    assertEquals(meaning, meaning(new CompletionException(failure)));
  }

  private static Meaning meaning(Throwable failure) {
    if (RedisFailures.isOwn(failure)) {
      return Meaning.OWN_ERROR;
    }
    return RedisFailures.of(failure).mayHaveApplied()
        ? Meaning.FAILED_BY_STORE
        : Meaning.REFUSED_BY_STORE;
  }
}
