package dev.plinth.ratelimit.store.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A flat array of integers, with nothing boxed: all that the event loop does with an answer. */
final class LongsOutput extends CommandOutput<byte[], byte[], long[]> {
  private static final long[] NONE = {};

  private int filled;

  LongsOutput() {
    super(ByteArrayCodec.INSTANCE, NONE);
  }

  @Override
  public void multi(int count) {
    if (count > 0) {
      output = new long[count];
    }
  }

  @Override
  public void set(long number) {
    if (filled == output.length) {
      output = Arrays.copyOf(output, Math.max(8, 2 * filled));
    }
    output[filled++] = number;
  }

  @Override
  public void set(ByteBuffer text) {
    throw new IllegalStateException("a text in the script's answer (expected: integers)");
  }
}
