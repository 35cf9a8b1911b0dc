package dev.plinth.shards.grpc;

import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a watch was: opaque to callers, and refused where it is not one of ours. */
public record ResumeToken(int shard, long revision) {
  private static final int MAX = 32;
  private static final Pattern FORM = Pattern.compile("w1\\.(\\d{1,4})\\.(\\d{1,18})");

  public String text() {
    return "w1." + shard + "." + revision;
  }

  /** Where to go on after; empty to begin with a snapshot. */
  public static OptionalLong after(String text, int shard) {
    return text.isEmpty() ? OptionalLong.empty() : OptionalLong.of(parse(text, shard).revision());
  }

  private static ResumeToken parse(String text, int shard) {
    Matcher parts = FORM.matcher(FieldChecks.name("resume_token", text, MAX));
    if (!parts.matches() || Integer.parseInt(parts.group(1)) != shard) {
      throw Failure.Invalid.field(
          "resume_token", '"' + text + '"', "one from a watch of the same, or none");
    }
    return new ResumeToken(shard, Long.parseLong(parts.group(2)));
  }
}
