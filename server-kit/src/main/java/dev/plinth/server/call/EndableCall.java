package dev.plinth.server.call;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;

/** A call that another thread may end while the handler's is answering: one of them wins. */
class EndableCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
  private boolean closed;

  EndableCall(ServerCall<Q, A> call) {
    super(call);
  }

  synchronized void end(com.google.rpc.Status status) {
    StatusTrailers answer = StatusTrailers.of(status);
    close(answer.status(), answer.trailers());
  }

  @Override
  public synchronized void sendHeaders(Metadata headers) {
    if (!closed) {
      super.sendHeaders(headers);
    }
  }

  @Override
  public synchronized void sendMessage(A message) {
    if (!closed) {
      super.sendMessage(message);
    }
  }

  @Override
  public synchronized void close(Status status, Metadata trailers) {
    if (!closed) {
      closed = true;
      super.close(status, trailers);
    }
  }
}
