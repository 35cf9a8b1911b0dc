package dev.plinth.shards.grpc;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

/**
 * Cuts a list into messages that any client takes. Each part is made when it is asked for, so that
 * a long list is never there as messages all at once.
 *
 * @param <V> an item
 * @param <M> an item as a message
 * @param <P> a part
 */
public final class MessageParts<V, M extends MessageLite, P> implements Iterator<P> {
  /** Makes a part. */
  @FunctionalInterface
  public interface PartMaker<M, P> {
    /**
     * @param more whether another part follows
     */
    P make(List<M> items, boolean more);
  }

  private final Iterator<V> items;
  private final Function<V, M> encode;
  private final PartMaker<M, P> maker;
  private boolean done;

  /** There is one part at least; it is empty if the list is. */
  public MessageParts(Iterable<V> items, Function<V, M> encode, PartMaker<M, P> maker) {
    this.items = items.iterator();
    this.encode = encode;
    this.maker = maker;
  }

  /** All parts at once, and none if there is no item. */
  public static <V, M extends MessageLite, P> List<P> listOf(
      List<V> items, Function<V, M> encode, PartMaker<M, P> maker) {
    List<P> parts = new ArrayList<>();
    if (!items.isEmpty()) {
      new MessageParts<>(items, encode, maker).forEachRemaining(parts::add);
    }
    return parts;
  }

  @Override
  public boolean hasNext() {
    return !done;
  }

  @Override
  public P next() {
    if (done) {
      throw new NoSuchElementException();
    }
    List<M> part = new ArrayList<>();
    int bytes = 0;
    while (bytes < WatchStream.MAX_BYTES && items.hasNext()) {
      M message = encode.apply(items.next());
      bytes += message.getSerializedSize();
      part.add(message);
    }
    done = !items.hasNext();
    return maker.make(part, !done);
  }
}
