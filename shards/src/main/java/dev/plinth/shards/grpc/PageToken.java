package dev.plinth.shards.grpc;

import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a list over all shards continues. The number of the shard comes first: by it a call finds
 * the node that has the shard.
 *
 * @param after the last name of that shard that was listed, empty if none was
 */
record PageToken(int shard, String after) {
  private static final int MAX_LENGTH = 140;
  private static final Pattern TEXT = Pattern.compile("(\\d{1,4})\\.([A-Za-z0-9_.:/-]{0,128})");

  static PageToken parse(String text, int shards) {
    if (text.isEmpty()) {
      return new PageToken(0, "");
    }
    Matcher parts = TEXT.matcher(FieldChecks.name("page_token", text, MAX_LENGTH));
    if (!parts.matches() || Integer.parseInt(parts.group(1)) >= shards) {
      throw Failure.Invalid.field(
          "page_token", '"' + text + '"', "one from a page before, or none");
    }
    return new PageToken(Integer.parseInt(parts.group(1)), parts.group(2));
  }

  String text() {
    return shard + "." + after;
  }
}
