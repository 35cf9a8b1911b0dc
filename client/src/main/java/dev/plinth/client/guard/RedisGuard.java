package dev.plinth.client.guard;

import java.util.ArrayList;
import java.util.List;

/**
 * Guards a key in Redis: one script compares the token with the one at a fence key and runs the
 * write. The fence key has no expiry, and must be safe from eviction; in a cluster it needs the
 * written key's hash tag, as in <code>{account:7}</code> and <code>{account:7}:fence</code>.
 */
public final class RedisGuard {
  /** Runs a script in any client library, such as {@code (s, k, a) -> commands.eval(s, ...)}. */
  @FunctionalInterface
  public interface Scripts {
    long eval(String script, List<String> keys, List<String> args);
  }

  /**
   * Compares as text of equal length: a number in Lua is a double, which cannot tell apart two
   * tokens above 2^53.
   */
  private static final String SCRIPT =
      """
      local seen = redis.call('GET', KEYS[1])
      if seen and ARGV[1] < seen then
        return 0
      end
      redis.call('SET', KEYS[1], ARGV[1])
      redis.call(ARGV[2], KEYS[2], unpack(ARGV, 3))
      return 1
      """;

  private static final int DIGITS = 19;

  private final Scripts scripts;
  private volatile Runnable onStale = () -> {};

  public RedisGuard(Scripts scripts) {
    this.scripts = scripts;
  }

  /**
   * Runs the task at each refusal, such as {@link dev.plinth.client.PlinthClient#fenceRejected}.
   */
  public RedisGuard onStale(Runnable task) {
    onStale = task;
    return this;
  }

  /**
   * Runs a command such as {@code SET} on the key with the arguments that follow the key.
   *
   * @throws StaleTokenException if a higher token was here; then nothing was written
   */
  public void write(Fenced key, long token, String command, String... args) {
    List<String> values = new ArrayList<>();
    values.add(padded(token));
    values.add(command);
    values.addAll(List.of(args));
    if (scripts.eval(SCRIPT, List.of(key.fence(), key.key()), values) == 0) {
      onStale.run();
      throw new StaleTokenException(key.key(), token);
    }
  }

  /** A key and the one that keeps the highest token for it. */
  public record Fenced(String key, String fence) {
    /** With a fence in the same slot of a cluster. */
    public static Fenced of(String key) {
      return new Fenced(key, key.contains("{") ? key + ":fence" : "{" + key + "}:fence");
    }
  }

  private static String padded(long token) {
    if (token < 0) {
      throw new IllegalArgumentException("token: " + token + " (expected: not negative)");
    }
    return ("%0" + DIGITS + "d").formatted(token);
  }
}
