package dev.plinth.shards.grpc;

import com.google.protobuf.Message;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Event;
import dev.plinth.shards.Watcher;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.Iterator;
import java.util.List;

/**
 * One watch call on a shard. Whoever resumes does so after a whole commit or snapshot, so only the
 * last message of one has a resume token.
 */
public final class WatchCall<S, V, R extends Message> implements Watcher {
  private final int shard;
  private final WatchedEvents<S, V, R> watched;
  private final WatchMessages<R> messages;
  private final WatchStream<R> to;

  private WatchCall(
      int shard,
      WatchedEvents<S, V, R> watched,
      WatchMessages<R> messages,
      ServerCallStreamObserver<R> to) {
    this.shard = shard;
    this.watched = watched;
    this.messages = messages;
    this.to = new WatchStream<>(to);
  }

  /** The call without its shard, for who tells it of snapshots and events by hand. */
  public static <S, V, R extends Message> Watcher of(
      int shard, WatchedEvents<S, V, R> watched, R response, ServerCallStreamObserver<R> to) {
    return new WatchCall<>(shard, watched, new WatchMessages<>(response), to);
  }

  static <S, V, R extends Message> void start(
      ShardCalls<S> calls,
      int shard,
      String resumeToken,
      WatchedEvents<S, V, R> watched,
      WatchMessages<R> messages,
      ServerCallStreamObserver<R> to) {
    calls.watch(
        shard,
        ResumeToken.after(resumeToken, shard),
        watched::snapshot,
        new WatchCall<>(shard, watched, messages, to));
  }

  @Override
  @SuppressWarnings("unchecked") // it comes from the snapshot of this very call
  public boolean snapshot(long revision, Object content) {
    Iterator<? extends Message.Builder> parts = watched.snapshot((V) content);
    return to.sendParts(
        watched.bytes((V) content),
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return parts.hasNext();
          }

          @Override
          public R next() {
            return message(revision, parts.next(), !parts.hasNext());
          }
        });
  }

  @Override
  public boolean events(long revision, List<Event> events) {
    Iterator<? extends Message.Builder> parts = watched.events(events).iterator();
    while (parts.hasNext()) {
      Message.Builder part = parts.next();
      if (!to.send(message(revision, part, !parts.hasNext()))) {
        return false;
      }
    }
    return true;
  }

  private R message(long revision, Message.Builder part, boolean last) {
    return last ? messages.build(part, new ResumeToken(shard, revision)) : messages.build(part);
  }

  @Override
  public boolean progress(long revision) {
    return to.send(message(revision, messages.progress(), true));
  }

  @Override
  public boolean gap(long oldestRevision) {
    // Without a resume token: whoever went on from here would never see the snapshot.
    return to.send(messages.build(messages.gap()));
  }

  @Override
  public boolean isGone() {
    return to.isGone();
  }

  @Override
  public void end(Failure why) {
    to.end(why);
  }
}
