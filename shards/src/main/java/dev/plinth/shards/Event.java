package dev.plinth.shards;

import java.util.function.Function;

/**
 * Something that was committed, for watchers: the key it is about, and what the app has to say of
 * it.
 */
public final class Event {
  private final String key;
  private final Object body;
  private final int bytes;
  private Object message;

  /**
   * @param bytes about what it weighs, so that those kept for watchers can be bounded
   */
  public Event(String key, Object body, int bytes) {
    this.key = key;
    this.body = body;
    this.bytes = bytes;
  }

  public String key() {
    return key;
  }

  public Object body() {
    return body;
  }

  int bytes() {
    return bytes;
  }

  /**
   * The body as a message, which is made for the first watcher that asks and is the same for all
   * others. On the shard's loop alone.
   */
  public <M> M as(Class<M> type, Function<Object, M> encode) {
    if (type.isInstance(message)) {
      return type.cast(message);
    }
    M made = encode.apply(body);
    message = made;
    return made;
  }
}
