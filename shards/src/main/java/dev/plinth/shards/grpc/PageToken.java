package dev.plinth.shards.grpc;

/**
 * Where a list over all shards continues. The number of the shard comes first: by it a call finds
 * the node that has the shard.
 *
 * @param after the last name of that shard that was listed, empty if none was
 */
record PageToken(int shard, String after) {
  private static final PageToken START = new PageToken(0, "");
  private static final PageTokenFormat FORMAT =
      new PageTokenFormat("", "\\d{1,4}", "[A-Za-z0-9_.:/-]{0,128}", 140);

  static PageToken parse(String text, int shards) {
    PageToken token =
        FORMAT.parse(text, START, (shard, after) -> new PageToken((int) shard, after));
    if (token.shard >= shards) {
      throw PageTokenFormat.refusal(text);
    }
    return token;
  }

  String text() {
    return FORMAT.text(shard, after);
  }
}
