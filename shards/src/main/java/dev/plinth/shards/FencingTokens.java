package dev.plinth.shards;

/**
 * Fencing tokens: the number of the commit that carries the grant, the shard, and a count within
 * the commit. Commits are numbered without end and without repeat, so tokens of a shard rise for
 * ever and those of two shards never meet.
 */
final class FencingTokens {
  static final int INDEX_BITS = 12;
  static final int SHARD_BITS = 10;

  private FencingTokens() {}

  static long of(long revision, int shard, int index) {
    return revision << (SHARD_BITS + INDEX_BITS) | (long) shard << INDEX_BITS | index;
  }
}
