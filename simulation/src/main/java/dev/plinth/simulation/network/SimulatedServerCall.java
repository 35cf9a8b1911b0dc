package dev.plinth.simulation.network;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** The server's end of a call. It is as strict with its handler as gRPC's own. */
final class SimulatedServerCall<Q, A> extends ServerCall<Q, A> {
  private final Connection connection;
  private final SimulatedClientCall<?, ?> client;
  private final MethodDescriptor<Q, A> method;
  private final Context.CancellableContext context;
  private final List<ServerStreamTracer> tracers;
  private final MessageOrder order = new MessageOrder();
  private final SendWindow window = new SendWindow();
  private final InboundMessages inbound = new InboundMessages(this::taken);
  private Listener<Q> listener;
  private boolean headersSent;
  private boolean messageSent;
  private boolean closeCalled;
  private boolean cancelled;
  private boolean over;
  private int messages;

  SimulatedServerCall(
      Connection connection,
      SimulatedClientCall<?, ?> client,
      MethodDescriptor<Q, A> method,
      Context.CancellableContext context,
      List<ServerStreamTracer> tracers) {
    this.connection = connection;
    this.client = client;
    this.method = method;
    this.context = context;
    this.tracers = tracers;
  }

  void start(ServerCallHandler<Q, A> handler, Metadata headers) {
    connection.add(this);
    context.addListener(this::contextCancelled, Runnable::run);
    guarded(() -> listener = handler.startCall(this, headers));
    if (listener != null) {
      callback(Listener::onReady);
    }
  }

  /** As in gRPC: a deadline that is over ends the call at both ends. */
  private void contextCancelled(Context ended) {
    if (!over && ended.cancellationCause() instanceof TimeoutException) {
      connection.sendToClient(
          order, () -> client.trailersArrived(Status.CANCELLED, new Metadata()));
      connection.server().process().after(0, this::cancelled);
    }
  }

  private void callback(Consumer<Listener<Q>> call) {
    if (listener != null) {
      guarded(() -> call.accept(listener));
    }
  }

  private void guarded(Runnable call) {
    Context before = context.attach();
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      if (!over) {
        connection.sendToClient(
            order, () -> client.trailersArrived(Status.UNKNOWN, new Metadata()));
        cancelled();
      }
      throw e;
    } finally {
      context.detach(before);
    }
  }

  void messageArrived(byte[] message) {
    if (!over) {
      trace(MessageBytes.summary(message));
      tracers.forEach(tracer -> tracer.inboundMessage(messages));
      tracers.forEach(tracer -> tracer.inboundWireSize(message.length));
      inbound.arrived(message);
      inbound.deliver();
    }
  }

  private void taken(byte[] bytes) {
    if (over) {
      return;
    }
    int number = messages++;
    tracers.forEach(tracer -> tracer.inboundMessageRead(number, bytes.length, bytes.length));
    connection.sendToClient(new MessageOrder(), () -> client.windowUpdate(bytes.length));
    guarded(() -> listener.onMessage(method.parseRequest(new ByteArrayInputStream(bytes))));
  }

  void halfClosed() {
    if (!over) {
      inbound.ends(() -> callback(Listener::onHalfClose));
      inbound.deliver();
    }
  }

  void windowUpdate(int bytes) {
    if (window.taken(bytes) && !over && !closeCalled) {
      callback(Listener::onReady);
    }
  }

  /** The caller, its connection or its deadline is gone. */
  void cancelled() {
    if (!over) {
      trace("cancelled");
      over = true;
      cancelled = true;
      inbound.clear();
      connection.remove(this);
      tracers.forEach(tracer -> tracer.streamClosed(Status.CANCELLED));
      context.cancel(null);
      if (listener != null) {
        guarded(() -> listener.onCancel());
      }
      connection.server().callEnded();
    }
  }

  @Override
  public void request(int more) {
    inbound.request(more);
    if (inbound.hasWork() && listener != null) {
      connection.server().process().after(0, inbound::deliver);
    }
  }

  @Override
  public void sendHeaders(Metadata headers) {
    require(!headersSent, "sendHeaders has already been called");
    require(!closeCalled, "call is closed");
    headersSent = true;
    Metadata copy = MessageBytes.copy(headers);
    connection.sendToClient(order, () -> client.headersArrived(copy));
  }

  @Override
  public void sendMessage(A message) {
    require(headersSent, "sendHeaders has not been called");
    require(!closeCalled, "call is closed");
    require(!messageSent || !method.getType().serverSendsOneMessage(), "too many responses");
    messageSent = true;
    if (!over) {
      byte[] bytes = MessageBytes.read(method.streamResponse(message));
      window.sent(bytes.length);
      connection.sendToClient(order, () -> client.messageArrived(bytes));
    }
  }

  @Override
  public void close(Status status, Metadata trailers) {
    require(!closeCalled, "call already closed");
    closeCalled = true;
    if (over) {
      return;
    }
    require(
        !status.isOk() || messageSent || !method.getType().serverSendsOneMessage(),
        "completed without a response");
    Status sent = MessageBytes.withoutCause(status);
    Metadata copy = MessageBytes.copy(trailers);
    connection.sendToClient(order, () -> client.trailersArrived(sent, copy));
    connection.server().process().after(0, () -> completed(status));
  }

  private void completed(Status status) {
    if (!over) {
      over = true;
      inbound.clear();
      connection.remove(this);
      tracers.forEach(tracer -> tracer.streamClosed(status));
      callback(Listener::onComplete);
      context.cancel(null);
      connection.server().callEnded();
    }
  }

  private void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException(what + ": " + method.getFullMethodName());
    }
  }

  @Override
  public boolean isReady() {
    return !closeCalled && !over && window.isReady();
  }

  @Override
  public void setOnReadyThreshold(int bytes) {
    window.threshold(bytes);
  }

  @Override
  public boolean isCancelled() {
    return cancelled;
  }

  @Override
  public Attributes getAttributes() {
    return connection.attributes();
  }

  @Override
  public String getAuthority() {
    return connection.server().address();
  }

  @Override
  public MethodDescriptor<Q, A> getMethodDescriptor() {
    return method;
  }

  private void trace(String what) {
    connection
        .server()
        .process()
        .simulation()
        .trace(
            connection.server().process().name(),
            method.getBareMethodName() + " of " + connection.client() + " > " + what);
  }
}
