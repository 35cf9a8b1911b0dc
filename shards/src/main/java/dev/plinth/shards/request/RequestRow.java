package dev.plinth.shards.request;

import dev.plinth.shards.RequestId;
import dev.plinth.shards.store.Row;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * One stored row of remembered answers, kept in memory as it is stored: format, number, time of the
 * last entry, then the entries. All of a row is forgotten together.
 */
final class RequestRow {
  static final byte FORMAT = 2;
  static final byte FORMAT_OF_ONE = 1;
  static final int HEADER = 1 + 8 + 8;
  private static final int NUMBER_AT = 1;
  private static final int TIME_AT = 9;
  private static final int FINGERPRINT_AT = 16;
  private static final int LENGTH_AT = 24;
  private static final int ANSWER_AT = 28;
  private static final int NOT_KEPT = -1;

  final String key;
  private ByteBuffer data;
  private int length;
  private int entries;

  /** An empty one. */
  RequestRow(String key, long number, long time) {
    this.key = key;
    this.data = ByteBuffer.allocate(512).put(0, FORMAT);
    this.length = HEADER;
    data.putLong(NUMBER_AT, number);
    time(time);
  }

  /** One that was stored. */
  RequestRow(Row row) {
    this.key = row.key();
    this.data = ByteBuffer.wrap(row.value());
    this.length = row.value().length;
    forEach(at -> entries++);
  }

  /** One of the former format, which had a row for each answer and no time. */
  static RequestRow ofOne(Row row, long time) {
    ByteBuffer in = ByteBuffer.wrap(row.value());
    in.get();
    final long number = in.getLong();
    final long fingerprint = in.getLong();
    byte[] id = new byte[in.getShort()];
    in.get(id);
    byte[] answer = new byte[in.remaining()];
    in.get(answer);
    RequestRow one = new RequestRow(row.key(), number, time);
    one.add(entry(RequestId.of(new String(id, StandardCharsets.UTF_8)), fingerprint, answer));
    one.trim();
    return one;
  }

  static byte format(Row row) {
    return row.value()[0];
  }

  /**
   * @param answer null if it is too large to be kept
   */
  static byte[] entry(RequestId id, long fingerprint, byte[] answer) {
    int size = answer == null ? 0 : answer.length;
    ByteBuffer entry = ByteBuffer.allocate(ANSWER_AT + size);
    entry.putLong(id.high()).putLong(id.low()).putLong(fingerprint);
    entry.putInt(answer == null ? NOT_KEPT : size);
    if (answer != null) {
      entry.put(answer);
    }
    return entry.array();
  }

  /** Where the entry begins. */
  int add(byte[] entry) {
    if (length + entry.length > data.capacity()) {
      int more = Math.max(data.capacity() * 2, length + entry.length);
      data = ByteBuffer.wrap(Arrays.copyOf(data.array(), more));
    }
    int at = length;
    data.put(at, entry);
    length += entry.length;
    entries++;
    return at;
  }

  /** The bytes to store, which stay as they are whatever is added. */
  byte[] copy() {
    return Arrays.copyOf(data.array(), length);
  }

  /** Nothing more is added. */
  void trim() {
    if (data.capacity() > length) {
      data = ByteBuffer.wrap(copy());
    }
  }

  void forEach(IntConsumer entry) {
    for (int at = HEADER; at < length; at += ANSWER_AT + Math.max(0, data.getInt(at + LENGTH_AT))) {
      entry.accept(at);
    }
  }

  long number() {
    return data.getLong(NUMBER_AT);
  }

  long time() {
    return data.getLong(TIME_AT);
  }

  void time(long last) {
    data.putLong(TIME_AT, last);
  }

  int length() {
    return length;
  }

  int entries() {
    return entries;
  }

  RequestId id(int at) {
    return new RequestId(data.getLong(at), data.getLong(at + 8));
  }

  boolean hasAt(int at, RequestId id) {
    return data.getLong(at) == id.high() && data.getLong(at + 8) == id.low();
  }

  RememberedAnswer answer(int at) {
    int size = data.getInt(at + LENGTH_AT);
    byte[] answer = null;
    if (size != NOT_KEPT) {
      answer = new byte[size];
      data.get(at + ANSWER_AT, answer);
    }
    return new RememberedAnswer(data.getLong(at + FINGERPRINT_AT), answer);
  }
}
