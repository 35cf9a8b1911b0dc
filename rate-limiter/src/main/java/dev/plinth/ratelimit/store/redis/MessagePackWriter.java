package dev.plinth.ratelimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes the part of MessagePack that the script reads: whole numbers, texts and arrays. One packed
 * argument is several times cheaper for Redis than as many arguments as there are numbers.
 */
final class MessagePackWriter {
  private byte[] bytes = new byte[256];
  private int size;

  MessagePackWriter array(int length) {
    if (length < 16) {
      return put(0x90 | length);
    }
    return length < 1 << 16 ? put(0xdc).big(length, 2) : put(0xdd).big(length, 4);
  }

  MessagePackWriter number(long n) {
    if (n >= 0 && n < 128) {
      return put((int) n);
    }
    if (n >= 0 && n < 1 << 16) {
      return put(0xcd).big(n, 2);
    }
    return n >= 0 && n < 1L << 32 ? put(0xce).big(n, 4) : put(0xd3).big(n, 8);
  }

  MessagePackWriter flag(boolean set) {
    return put(set ? 1 : 0);
  }

  MessagePackWriter text(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    if (utf8.length < 32) {
      put(0xa0 | utf8.length);
    } else {
      put(0xdb).big(utf8.length, 4);
    }
    room(utf8.length);
    System.arraycopy(utf8, 0, bytes, size, utf8.length);
    size += utf8.length;
    return this;
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  /** What another has packed, in its place. */
  MessagePackWriter append(MessagePackWriter other) {
    room(other.size);
    System.arraycopy(other.bytes, 0, bytes, size, other.size);
    size += other.size;
    return this;
  }

  private MessagePackWriter big(long n, int width) {
    for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
      put((int) (n >> shift));
    }
    return this;
  }

  private MessagePackWriter put(int b) {
    room(1);
    bytes[size++] = (byte) b;
    return this;
  }

  private void room(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
    }
  }
}
