package dev.plinth.shards;

import dev.plinth.shards.store.Row;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * How often the data was brought back from a backup. Commits are then numbered from far above all
 * that were lost, so that fencing tokens go on rising: each generation begins four billion commits
 * after the one before.
 */
public final class Generation {
  static final String ROW = "shard/generation";
  static final int MAX = 100;
  private static final int COMMIT_BITS = 32;
  private static final String VERSION = "v1 ";

  private Generation() {}

  /** 0 for data that was never restored. */
  static int stored(List<Row> rows) {
    return rows.stream()
        .filter(row -> row.key().equals(ROW))
        .map(row -> new String(row.value(), StandardCharsets.UTF_8))
        .map(text -> Integer.parseInt(text.substring(VERSION.length())))
        .findFirst()
        .orElse(0);
  }

  static byte[] row(int generation) {
    return (VERSION + generation).getBytes(StandardCharsets.UTF_8);
  }

  /** That of the data which a fencing token comes from. */
  public static int of(long token) {
    return (int) (token >>> COMMIT_BITS + FencingTokens.SHARD_BITS + FencingTokens.INDEX_BITS);
  }

  /** What the store's numbers of commits are raised by. */
  static long base(int generation) {
    return (long) generation << COMMIT_BITS;
  }
}
