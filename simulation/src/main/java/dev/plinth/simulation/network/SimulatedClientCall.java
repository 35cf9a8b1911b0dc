package dev.plinth.simulation.network;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The caller's end of a call. */
final class SimulatedClientCall<Q, A> extends ClientCall<Q, A> {
  private final SimulatedChannel channel;
  private final MethodDescriptor<Q, A> method;
  private final CallOptions options;
  private final Context context = Context.current();
  private final Context.CancellationListener onCancel = this::contextCancelled;
  private final MessageOrder order = new MessageOrder();
  private final SendWindow window = new SendWindow();
  private final InboundMessages inbound = new InboundMessages(this::taken);
  private final List<Runnable> unsent = new ArrayList<>();
  private Listener<A> listener;
  private Metadata headers;
  private Deadline deadline;
  private Future<?> timer;
  private Connection connection;
  private SimulatedServerCall<?, ?> server; // known at the server only
  private boolean cancelAsked;
  private boolean closed;

  SimulatedClientCall(
      SimulatedChannel channel, MethodDescriptor<Q, A> method, CallOptions options) {
    this.channel = channel;
    this.method = method;
    this.options = options;
  }

  @Override
  public void start(Listener<A> responses, Metadata sent) {
    listener = responses;
    headers = MessageBytes.copy(sent);
    Deadline own = options.getDeadline();
    Deadline outer = context.getDeadline();
    deadline = own == null ? outer : outer == null ? own : own.minimum(outer);
    context.addListener(onCancel, Runnable::run);
    if (deadline != null) {
      long left = Math.max(0, deadline.timeRemaining(TimeUnit.NANOSECONDS));
      timer = channel.deadlines().schedule(this::deadlineOver, left, TimeUnit.NANOSECONDS);
    }
    channel.begin(this);
  }

  boolean waitsForReady() {
    return options.isWaitForReady();
  }

  /** Its turn on a connection. */
  void send(Connection on) {
    connection = on;
    on.add(this);
    begun();
    long left = deadline == null ? Long.MAX_VALUE : deadline.timeRemaining(TimeUnit.NANOSECONDS);
    toServer(() -> server = on.server().begin(on, this, method.getFullMethodName(), headers, left));
    unsent.forEach(Runnable::run);
    unsent.clear();
    if (!method.getType().clientSendsOneMessage()) {
      callback(Listener::onReady);
    }
  }

  /** Tells who listens that from now on the server may know of it. */
  private void begun() {
    ClientStreamTracer.StreamInfo info =
        ClientStreamTracer.StreamInfo.newBuilder().setCallOptions(options).build();
    options
        .getStreamTracerFactories()
        .forEach(
            each ->
                each.newClientStreamTracer(info, headers).streamCreated(Attributes.EMPTY, headers));
  }

  private void toServer(Runnable message) {
    connection.sendToServer(order, message);
  }

  private void whenConnected(Runnable sending) {
    if (connection == null) {
      unsent.add(sending);
    } else {
      sending.run();
    }
  }

  @Override
  public void request(int messages) {
    inbound.request(messages);
    if (inbound.hasWork()) {
      channel.process().after(0, inbound::deliver);
    }
  }

  @Override
  public void sendMessage(Q message) {
    if (closed || cancelAsked) {
      return;
    }
    byte[] bytes = MessageBytes.read(method.streamRequest(message));
    window.sent(bytes.length);
    whenConnected(() -> toServer(() -> atServer(call -> call.messageArrived(bytes))));
  }

  @Override
  public void halfClose() {
    if (!closed && !cancelAsked) {
      whenConnected(() -> toServer(() -> atServer(SimulatedServerCall::halfClosed)));
    }
  }

  private void atServer(Consumer<SimulatedServerCall<?, ?>> action) {
    if (server != null) {
      action.accept(server);
    }
  }

  @Override
  public boolean isReady() {
    return connection != null && !closed && window.isReady();
  }

  @Override
  public void cancel(String message, Throwable cause) {
    if (!cancelAsked) {
      cancelAsked = true;
      end(Status.CANCELLED.withDescription(message).withCause(cause));
    }
  }

  private void contextCancelled(Context cancelled) {
    Throwable cause = cancelled.cancellationCause();
    end(
        cause instanceof java.util.concurrent.TimeoutException
            ? Status.DEADLINE_EXCEEDED
            : Status.CANCELLED.withDescription("the context was cancelled").withCause(cause));
  }

  private void deadlineOver() {
    end(Status.DEADLINE_EXCEEDED.withDescription("deadline exceeded"));
  }

  /** Ends it here, and lets the server know. */
  private void end(Status status) {
    if (!closed && listener != null) {
      if (connection != null) {
        toServer(() -> atServer(SimulatedServerCall::cancelled));
      }
      closed = true;
      // Not within the caller, who may hold a lock.
      channel.process().after(0, () -> close(status, new Metadata()));
    }
  }

  void connectionLost() {
    fail(Status.UNAVAILABLE.withDescription("connection lost"));
  }

  void fail(Status status) {
    if (!closed) {
      closed = true;
      inbound.clear();
      close(status, new Metadata());
    }
  }

  void headersArrived(Metadata metadata) {
    if (!closed) {
      callback(each -> each.onHeaders(metadata));
    }
  }

  void messageArrived(byte[] message) {
    if (!closed) {
      trace(MessageBytes.summary(message));
      inbound.arrived(message);
      inbound.deliver();
    }
  }

  private void taken(byte[] bytes) {
    if (!closed) {
      connection.sendToServer(
          new MessageOrder(), () -> atServer(call -> call.windowUpdate(bytes.length)));
      A message = method.parseResponse(new ByteArrayInputStream(bytes));
      callback(each -> each.onMessage(message));
    }
  }

  void windowUpdate(int bytes) {
    if (window.taken(bytes) && !closed) {
      callback(Listener::onReady);
    }
  }

  void trailersArrived(Status status, Metadata trailers) {
    if (!closed) {
      inbound.ends(
          () -> {
            if (!closed) {
              closed = true;
              close(status, trailers);
            }
          });
      inbound.deliver();
    }
  }

  private void close(Status status, Metadata trailers) {
    trace(status.getCode() + (status.isOk() ? "" : " " + status.getDescription()));
    context.removeListener(onCancel);
    if (timer != null) {
      timer.cancel(false);
    }
    channel.ended(this);
    callback(each -> each.onClose(status, trailers));
    if (connection != null) {
      connection.remove(this);
    }
  }

  private void callback(Consumer<Listener<A>> call) {
    Executor executor = options.getExecutor();
    Runnable task = context.wrap(() -> call.accept(listener));
    if (executor == null) {
      task.run();
    } else {
      executor.execute(task);
    }
  }

  private void trace(String what) {
    channel
        .network()
        .simulation()
        .trace(channel.process().name(), method.getBareMethodName() + " < " + what);
  }
}
