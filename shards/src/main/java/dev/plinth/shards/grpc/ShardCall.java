package dev.plinth.shards.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import dev.plinth.options.v1.CallKind;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.shards.Command;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.Fingerprint;
import dev.plinth.shards.IdempotentRequest;
import dev.plinth.shards.Tx;
import dev.plinth.shards.grpc.ShardCalls.StreamCommand;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * One call to a service on shards. Its namespace and request id were checked before its handler
 * sees it; the handler checks the other fields, and says which command answers it.
 *
 * @param <S> the state that the service keeps in a shard
 */
public final class ShardCall<S, Q extends Message, R extends Message> {
  private final ShardCalls<S> calls;
  private final CallDeclaration declaration;
  private final Parser<R> answers;
  private final Q request;
  private final StreamObserver<R> to;
  private final RequestShard at;
  private final String requestId;
  private CompletableFuture<R> call;

  ShardCall(
      ShardCalls<S> calls,
      CallDeclaration declaration,
      Parser<R> answers,
      Q request,
      StreamObserver<R> to) {
    this.calls = calls;
    this.declaration = declaration;
    this.answers = answers;
    this.request = request;
    this.to = to;
    this.at = calls.shardOf(declaration, request);
    this.requestId = declaration.requestId(request);
  }

  public Q request() {
    return request;
  }

  public String namespace() {
    return at.namespace();
  }

  /** Empty if the request has none. */
  public String requestId() {
    return requestId;
  }

  /** Of the content that must be the same where the request is sent again under its id. */
  public long fingerprint() {
    Message body = declaration.fingerprinted(request);
    return Fingerprint.of(body.getDescriptorForType().getFullName(), body.toByteArray());
  }

  /** Runs the command as the method is declared, and answers with its reply. */
  public void run(Command<S, R> command) {
    run(command, UnaryOperator.identity(), UnaryOperator.identity());
  }

  /**
   * Like the other, for an answer with something that must not be stored.
   *
   * @param kept the answer as it is kept under the request id
   * @param given the kept answer as it is given again
   */
  public void run(Command<S, R> command, UnaryOperator<R> kept, UnaryOperator<R> given) {
    if (declaration.kind() == CallKind.CALL_KIND_MUTATION) {
      call = calls.mutate(at.shard(), priority(), idempotent(kept, given), command, to);
    } else {
      call = calls.read(at.shard(), priority(), command, to);
    }
  }

  /**
   * Like {@link #run(Command)}, for a call that settles how the request of its id has ended, if
   * that is not known yet, by its command, and in any case for good.
   */
  public void settle(Command<S, R> command) {
    Optional<IdempotentRequest<R>> request =
        idempotent(UnaryOperator.identity(), UnaryOperator.identity());
    call =
        calls.mutate(at.shard(), priority(), request.map(IdempotentRequest::settling), command, to);
  }

  private Optional<IdempotentRequest<R>> idempotent(UnaryOperator<R> kept, UnaryOperator<R> given) {
    if (requestId.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new IdempotentRequest<>(
            calls.requestId(at.namespace(), requestId),
            fingerprint(),
            answer -> kept.apply(answer).toByteArray(),
            bytes -> given.apply(parse(bytes))));
  }

  private R parse(byte[] bytes) {
    try {
      return answers.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a remembered answer cannot be read", e);
    }
  }

  /** Answers without a change, whatever is declared: nothing is kept under the request id. */
  public void runUnrecorded(CommandPriority priority, Command<S, R> command) {
    call = calls.read(at.shard(), priority, command, to);
  }

  /** For a read whose answer would keep the shard from its work while it is made. */
  public <A> void runThen(Command<S, A> command, Function<A, R> toAnswer) {
    calls.readThen(at.shard(), command, toAnswer, to);
  }

  /** Runs when the caller goes away before its answer; only after {@link #run}. */
  public void whenAbandoned(Command<S, Void> task) {
    calls.whenAbandoned(call, task, at.shard());
  }

  /** Something more for the shard to do, which nobody waits for. */
  public void enqueue(Command<S, Void> task) {
    calls.run(at.shard(), task);
  }

  /**
   * Something more to change after {@link #run}, which nobody waits for; not where that was refused
   * at once.
   */
  public void thenMutate(Command<S, Void> task) {
    if (!call.isCompletedExceptionally()) {
      calls.runMutation(at.shard(), task);
    }
  }

  /**
   * A stream that the shard feeds until it ends it, and that may change something durable. When the
   * caller goes away first, {@code leave} runs.
   */
  public void stream(StreamCommand<S, R> command, Command<S, Void> leave) {
    calls.mutatingStream(at.shard(), command, leave, new SynchronizedStreamObserver<>(to));
  }

  /** The call's stream, for a reader that may be slow; before the handler returns. */
  public WatchStream<R> watchStream() {
    return new WatchStream<>((ServerCallStreamObserver<R>) to);
  }

  /**
   * A stream that changes nothing, and that the shard feeds by hand through the call's {@link
   * #watchStream}. If the shard goes away, it ends with the reason. When the caller goes away,
   * {@code leave} runs.
   */
  public void feed(WatchStream<R> stream, StateTask<S> begin, Command<S, Void> leave) {
    calls.stream(
        at.shard(), priority(), (state, tx, reply) -> begin.run(state, tx), leave, stream.ending());
  }

  /** Something that is done with the state. */
  @FunctionalInterface
  public interface StateTask<S> {
    void run(S state, Tx tx);
  }

  private CommandPriority priority() {
    return declaration.isUrgent() ? CommandPriority.URGENT : CommandPriority.NORMAL;
  }
}
