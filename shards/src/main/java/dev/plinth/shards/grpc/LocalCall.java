package dev.plinth.shards.grpc;

import dev.plinth.server.failure.Failure;
import dev.plinth.shards.ShardFailures;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;

/** A call at the endpoint of this node, until that finds that the shard has moved. */
final class LocalCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
  private final Predicate<Failure> retry;
  // One message was asked for already, to find the shard.
  private int credit = 1;
  private volatile boolean answered;

  LocalCall(ServerCall<Q, A> call, Predicate<Failure> retry) {
    super(call);
    this.retry = retry;
  }

  @Override
  public void request(int messages) {
    int more = messages - credit;
    credit = 0;
    if (more > 0) {
      super.request(more);
    }
  }

  @Override
  public void sendHeaders(Metadata headers) {
    answered = true;
    super.sendHeaders(headers);
  }

  @Override
  public void close(Status status, Metadata trailers) {
    Throwable cause = status.getCause();
    Throwable why = cause instanceof CompletionException ? cause.getCause() : cause;
    boolean untouched =
        !answered
            && why instanceof Failure failure
            && ShardFailures.NO_EFFECT.equals(failure.metadata().get(ShardFailures.EFFECT));
    if (!untouched || !retry.test((Failure) why)) {
      super.close(status, trailers);
    }
  }
}
