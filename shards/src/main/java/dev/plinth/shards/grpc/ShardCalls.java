package dev.plinth.shards.grpc;

import com.google.protobuf.Message;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.server.call.StatusMappingInterceptor;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Command;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.IdempotentRequest;
import dev.plinth.shards.Reply;
import dev.plinth.shards.RequestId;
import dev.plinth.shards.ShardApp;
import dev.plinth.shards.Shards;
import dev.plinth.shards.StateSnapshot;
import dev.plinth.shards.StreamReply;
import dev.plinth.shards.Tx;
import dev.plinth.shards.Watcher;
import io.grpc.Context;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Takes a service's calls to its shards and the answers back: for streams in both directions by
 * hand, for all other calls through {@link ShardCall}.
 *
 * @param <S> the state that the service keeps in a shard
 */
public final class ShardCalls<S> {
  private final Shards shards;
  private final ShardApp<S> shardApp;

  ShardCalls(Shards shards, ShardApp<S> shardApp) {
    this.shards = shards;
    this.shardApp = shardApp;
  }

  /** A call that changes nothing durable. */
  <R> CompletableFuture<R> read(
      int shard,
      CommandPriority commandPriority,
      Command<S, R> command,
      StreamObserver<R> observer) {
    CompletableFuture<R> call = submit(shard, commandPriority, command);
    cancelWithCaller(call, observer);
    answer(call, observer);
    return call;
  }

  /** Like {@link #read}, with an answer whose making would keep the shard from its work. */
  <A, R> void readThen(
      int shard, Command<S, A> command, Function<A, R> making, StreamObserver<R> observer) {
    CompletableFuture<A> call = submit(shard, CommandPriority.NORMAL, command);
    cancelWithCaller(call, observer);
    answer(call.thenApplyAsync(making, shards.answers()), observer);
  }

  /** One message of a stream: it is answered, and the stream goes on. */
  public <R extends Message> void readInStream(
      int shard,
      CommandPriority commandPriority,
      Command<S, R> command,
      SynchronizedStreamObserver<R> stream) {
    submit(shard, commandPriority, command)
        .whenComplete(
            (answer, thrown) -> {
              if (thrown == null) {
                stream.answer(answer);
              } else {
                stream.onError(thrown);
              }
            });
  }

  /** One message of a stream that has no answer; done when the shard has taken it. */
  public CompletableFuture<Void> takeInStream(int shard, Command<S, Void> command) {
    return submit(shard, CommandPriority.NORMAL, answered(command));
  }

  /**
   * A stream that the shard feeds until it ends it. When the caller goes away first, the reply says
   * so, and {@code leave} runs.
   */
  public <M> void stream(
      int shard,
      CommandPriority commandPriority,
      StreamCommand<S, M> command,
      Command<S, Void> leave,
      StreamObserver<M> to) {
    stream(shard, begin -> submit(shard, commandPriority, begin), command, leave, to);
  }

  /** Like {@link #stream}, where the start, or what follows from it, changes something durable. */
  <M> void mutatingStream(
      int shard, StreamCommand<S, M> command, Command<S, Void> leave, StreamObserver<M> to) {
    stream(
        shard,
        begin -> detached(() -> shards.mutate(shard, shardApp, CommandPriority.NORMAL, begin)),
        command,
        leave,
        to);
  }

  private <M> void stream(
      int shard,
      Function<Command<S, Void>, CompletableFuture<Void>> submit,
      StreamCommand<S, M> command,
      Command<S, Void> leave,
      StreamObserver<M> to) {
    AtomicReference<StreamReply<M>> started = new AtomicReference<>();
    CompletableFuture<Void> call =
        submit.apply(
            (state, tx, reply) -> {
              started.set(new ObserverReply<>(reply, to));
              command.run(state, tx, started.get());
            });
    call.whenComplete(
        (end, thrown) -> {
          if (thrown == null) {
            to.onCompleted();
          } else if (!call.isCancelled()) {
            to.onError(thrown);
          }
        });
    Command<S, Void> gone =
        (state, tx, reply) -> {
          leave.run(state, tx, reply);
          if (started.get() != null) {
            started.get().complete(tx);
          }
        };
    whenAbandoned(call, gone, shard);
  }

  /** The start of a stream that a shard feeds. */
  @FunctionalInterface
  public interface StreamCommand<S, M> {
    void run(S state, Tx tx, StreamReply<M> streamReply);
  }

  private record ObserverReply<M>(Reply<Void> reply, StreamObserver<M> to)
      implements StreamReply<M> {
    @Override
    public void send(Tx tx, M message) {
      tx.afterCommit(() -> to.onNext(message));
    }

    @Override
    public void answer(Tx tx, M message) {
      reply.hadEffect();
      send(tx, message);
    }

    @Override
    public void complete(Tx tx) {
      reply.send(tx, null);
    }

    @Override
    public void fail(Tx tx, Failure why) {
      reply.fail(tx, why);
    }

    @Override
    public boolean isAbandoned() {
      return reply.isAbandoned();
    }
  }

  /**
   * A mutation.
   *
   * @param idempotent empty if it has its effect each time it is sent
   */
  <R> CompletableFuture<R> mutate(
      int shard,
      CommandPriority commandPriority,
      Optional<IdempotentRequest<R>> idempotent,
      Command<S, R> command,
      StreamObserver<R> observer) {
    CompletableFuture<R> call =
        detached(
            () ->
                idempotent.isEmpty()
                    ? shards.mutate(shard, shardApp, commandPriority, command)
                    : shards.submit(shard, shardApp, commandPriority, idempotent.get(), command));
    cancelWithCaller(call, observer);
    answer(call, observer);
    return call;
  }

  private <R> CompletableFuture<R> submit(
      int shard, CommandPriority commandPriority, Command<S, R> command) {
    return detached(() -> shards.submit(shard, shardApp, commandPriority, command));
  }

  /**
   * The caller's thread may run other callers' commands too: those must neither end with this call
   * nor log in its name.
   */
  private static <T> T detached(Supplier<T> submit) {
    Context own = Context.ROOT.attach();
    try {
      return submit.get();
    } finally {
      Context.ROOT.detach(own);
    }
  }

  /** A command that still queues when its caller goes away is not run. */
  private static void cancelWithCaller(CompletableFuture<?> call, StreamObserver<?> observer) {
    if (observer instanceof ServerCallStreamObserver<?> stream) {
      stream.setOnCancelHandler(() -> call.cancel(false));
    }
  }

  public int shardOf(String shardKey) {
    return shards.shardOf(shardKey);
  }

  /** The shard and the namespace of a request, as the router found them if there is one. */
  RequestShard shardOf(CallDeclaration declaration, Message request) {
    return RequestShard.of(declaration, request, shards);
  }

  /** A request's id among those of all services and namespaces. */
  RequestId requestId(String namespace, String id) {
    return RequestId.of(shardApp.prefix() + namespace + "/" + id);
  }

  /** A stream of events, from after a revision if one is given, until the caller goes away. */
  void watch(int shard, OptionalLong after, StateSnapshot<S> snapshot, Watcher watcher) {
    Context.current().addListener(context -> shards.unwatch(shard, watcher), Runnable::run);
    if (after.isPresent()) {
      shards.resume(shard, shardApp, after.getAsLong(), snapshot, watcher);
    } else {
      shards.watch(shard, shardApp, snapshot, watcher);
    }
  }

  /**
   * When the caller goes away before its answer, the command learns of it through its reply, and
   * the task runs.
   */
  void whenAbandoned(CompletableFuture<?> call, Command<S, Void> task, int shard) {
    Context.current()
        .addListener(
            context -> {
              if (call.cancel(false)) {
                submit(shard, CommandPriority.URGENT, answered(task));
              }
            },
            Runnable::run);
  }

  /** Something for the shard to do that nobody waits for. */
  void run(int shard, Command<S, Void> task) {
    submit(shard, CommandPriority.NORMAL, answered(task));
  }

  /** Like the other, for what changes something durable. */
  void runMutation(int shard, Command<S, Void> task) {
    detached(() -> shards.mutate(shard, shardApp, CommandPriority.NORMAL, answered(task)));
  }

  private static <S> Command<S, Void> answered(Command<S, Void> task) {
    return (state, tx, reply) -> {
      task.run(state, tx, reply);
      reply.send(tx, null);
    };
  }

  private static boolean isCancelled(CompletableFuture<?> call, Throwable thrown) {
    return call.isCancelled() || thrown.getCause() instanceof CancellationException;
  }

  private static <R> void answer(CompletableFuture<R> call, StreamObserver<R> observer) {
    call.whenComplete(
        (answer, thrown) -> {
          if (thrown == null) {
            observer.onNext(answer);
            observer.onCompleted();
          } else if (!isCancelled(call, thrown)) { // nobody is left to tell
            observer.onError(StatusMappingInterceptor.answering(thrown));
          }
        });
  }
}
