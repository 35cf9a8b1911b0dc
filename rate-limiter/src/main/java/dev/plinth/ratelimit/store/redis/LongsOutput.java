package dev.plinth.ratelimit.store.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;

/**
 * A flat array of integers, packed by the script as MessagePack: one text of a reply, which the
 * driver need not read integer by integer.
 */
final class LongsOutput extends CommandOutput<byte[], byte[], long[]> {
  private static final long[] NONE = {};

  LongsOutput() {
    super(ByteArrayCodec.INSTANCE, NONE);
  }

  @Override
  public void set(ByteBuffer packed) {
    long[] numbers = new long[length(packed)];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = number(packed);
    }
    output = numbers;
  }

  private static int length(ByteBuffer packed) {
    int head = packed.get() & 0xff;
    return switch (head) {
      case 0xdc -> packed.getShort() & 0xffff;
      case 0xdd -> packed.getInt();
      default -> {
        if (head >> 4 != 0x9) {
          throw unexpected(head, "an array");
        }
        yield head & 0xf;
      }
    };
  }

  private static long number(ByteBuffer packed) {
    byte head = packed.get();
    if (head >= -32) { // of a small number, all there is
      return head;
    }
    return switch (head & 0xff) {
      case 0xcc -> packed.get() & 0xff;
      case 0xcd -> packed.getShort() & 0xffff;
      case 0xce -> packed.getInt() & 0xffff_ffffL;
      case 0xcf, 0xd3 -> packed.getLong(); // none is above 2^53
      case 0xd0 -> packed.get();
      case 0xd1 -> packed.getShort();
      case 0xd2 -> packed.getInt();
      default -> throw unexpected(head & 0xff, "an integer");
    };
  }

  private static IllegalStateException unexpected(int head, String expected) {
    return new IllegalStateException(
        "the script's answer has 0x%02x (expected: %s)".formatted(head, expected));
  }
}
