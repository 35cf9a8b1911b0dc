package dev.plinth.shards.store;

import java.util.Objects;

/** One change of one row. A commit names a key at most once. */
public record Write(String key, byte[] value) {
  public static Write put(String key, byte[] value) {
    return new Write(key, Objects.requireNonNull(value));
  }

  public static Write delete(String key) {
    return new Write(key, null);
  }

  /** About what it weighs in a commit. */
  public int bytes() {
    return key.length() + (value == null ? 0 : value.length);
  }

  public boolean isDelete() {
    return value == null;
  }
}
