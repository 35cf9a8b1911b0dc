package dev.plinth.shards.grpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.StatusMappingInterceptor;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.Route;
import dev.plinth.shards.ShardApp;
import dev.plinth.shards.Shards;
import dev.plinth.shards.Tx;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/**
 * Lists what all shards have, shard after shard, in pages. A page ends when it has as many items as
 * were asked for, when it has grown to what fits in a message, and where the next shard is another
 * node's. Requests have {@code page_size} and {@code page_token}; responses have one repeated field
 * and {@code next_page_token}.
 *
 * @param <S> the state that the service keeps in a shard
 * @param <V> an item as the core gives it
 */
public final class ShardPages<S, V> {
  private static final int MAX_BYTES = 1 << 20;

  /** The items of one shard, by name. */
  @FunctionalInterface
  public interface Source<S, V> {
    List<V> list(S state, String after, int limit, Tx tx);
  }

  /**
   * What the items are called.
   *
   * @param check refuses what is none of their names, as {@code FieldChecks.namespace} does
   */
  public record Names<V>(Function<V, String> of, BinaryOperator<String> check) {}

  private final Shards shards;
  private final ShardApp<S> app;
  private final Source<S, V> source;
  private final Names<V> names;
  private final Function<V, ? extends Message> toMessage;

  ShardPages(
      Shards shards,
      ShardApp<S> app,
      Source<S, V> source,
      Names<V> names,
      Function<V, ? extends Message> toMessage) {
    this.shards = shards;
    this.app = app;
    this.source = source;
    this.names = names;
    this.toMessage = toMessage;
  }

  void list(Message request, Message response, StreamObserver<Message> to) {
    int size = FieldChecks.pageSize((int) get(request, "page_size"));
    PageToken from = PageToken.parse((String) get(request, "page_token"), shards.count());
    names.check().apply("page_token", from.after());
    add(from, new Page(response, size), to);
  }

  private static Object get(Message message, String field) {
    return message.getField(message.getDescriptorForType().findFieldByName(field));
  }

  private void add(PageToken from, Page page, StreamObserver<Message> to) {
    int room = page.room;
    shards
        .<S, List<V>>submit(
            from.shard(),
            app,
            CommandPriority.NORMAL,
            (state, tx, reply) -> reply.send(tx, source.list(state, from.after(), room, tx)))
        .whenComplete(
            (found, thrown) -> {
              if (thrown != null) {
                to.onError(StatusMappingInterceptor.answering(thrown));
              } else {
                resume(from, found, page, to);
              }
            });
  }

  private void resume(PageToken from, List<V> found, Page page, StreamObserver<Message> to) {
    for (V item : found) {
      page.add(toMessage.apply(item));
      if (page.isFull()) {
        page.next(new PageToken(from.shard(), names.of().apply(item)));
        break;
      }
    }
    PageToken next = new PageToken(from.shard() + 1, "");
    if (!page.isFull() && next.shard() < shards.count()) {
      if (shards.routes().of(next.shard()).location() == Route.Location.LOCAL) {
        add(next, page, to);
        return;
      }
      page.next(next);
    }
    to.onNext(page.response.build());
    to.onCompleted();
  }

  /** A page that is being made, and how much more it may hold. */
  private static final class Page {
    private final Message.Builder response;
    private final FieldDescriptor items;
    private int room;
    private int bytes;

    Page(Message response, int size) {
      this.response = response.newBuilderForType();
      this.items =
          response.getDescriptorForType().getFields().stream()
              .filter(FieldDescriptor::isRepeated)
              .findFirst()
              .orElseThrow();
      this.room = size;
    }

    void add(Message item) {
      response.addRepeatedField(items, item);
      room--;
      bytes += item.getSerializedSize();
    }

    boolean isFull() {
      return room == 0 || bytes > MAX_BYTES;
    }

    void next(PageToken token) {
      response.setField(
          response.getDescriptorForType().findFieldByName("next_page_token"), token.text());
    }
  }
}
