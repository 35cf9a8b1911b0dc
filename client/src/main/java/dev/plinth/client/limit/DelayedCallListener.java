package dev.plinth.client.limit;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A call whose handler has not begun. What gRPC tells of it meanwhile is kept and told to the
 * handler in the same order, each once, one at a time. No message can be among that: none is sent
 * up before a handler requests it. A call that is cancelled before it begins never does.
 */
final class DelayedCallListener<Q> extends ServerCall.Listener<Q> {
  private static final Logger log = System.getLogger("plinth.client");

  private final ServerCall<Q, ?> call;
  private final Context context = Context.current();
  private final ArrayDeque<Consumer<ServerCall.Listener<Q>>> kept = new ArrayDeque<>();
  private ServerCall.Listener<Q> handler;
  private boolean beginning;
  private boolean gone;
  private boolean telling;

  DelayedCallListener(ServerCall<Q, ?> call) {
    this.call = call;
  }

  /**
   * Has the handler begin, on a thread that it may block. Once.
   *
   * @param ifGone runs instead if the call is over before that
   */
  void begin(Executor threads, Supplier<ServerCall.Listener<Q>> start, Runnable ifGone) {
    try {
      threads.execute(context.wrap(() -> beginNow(start, ifGone)));
    } catch (RuntimeException | Error e) {
      ifGone.run();
      refuse(Status.UNAVAILABLE.withDescription("no thread to handle the call").withCause(e));
    }
  }

  private void beginNow(Supplier<ServerCall.Listener<Q>> start, Runnable ifGone) {
    if (!mayBegin()) {
      ifGone.run();
      return;
    }
    try {
      ServerCall.Listener<Q> begun = start.get();
      synchronized (this) {
        handler = begun;
        telling = true;
      }
      deliverAll();
    } catch (RuntimeException | Error e) {
      log.log(Level.ERROR, "the handler of " + name() + " failed", e);
      refuse(Status.UNKNOWN.withDescription("the handler failed").withCause(e));
    }
  }

  private synchronized boolean mayBegin() {
    beginning = !gone;
    return beginning;
  }

  private void refuse(Status status) {
    try {
      call.close(status, new Metadata());
    } catch (IllegalStateException e) {
      log.log(Level.DEBUG, name() + " was closed by its handler", e);
    }
  }

  private String name() {
    return call.getMethodDescriptor().getFullMethodName();
  }

  private void deliver(Consumer<ServerCall.Listener<Q>> event) {
    synchronized (this) {
      kept.add(event);
      if (handler == null || telling) {
        return;
      }
      telling = true;
    }
    deliverAll();
  }

  private void deliverAll() {
    for (Consumer<ServerCall.Listener<Q>> event = next(); event != null; event = next()) {
      try {
        event.accept(handler);
      } catch (RuntimeException | Error e) {
        stopDelivery();
        throw e;
      }
    }
  }

  private synchronized Consumer<ServerCall.Listener<Q>> next() {
    Consumer<ServerCall.Listener<Q>> event = kept.poll();
    telling = event != null;
    return event;
  }

  private synchronized void stopDelivery() {
    telling = false;
  }

  @Override
  public void onMessage(Q message) {
    deliver(listener -> listener.onMessage(message));
  }

  @Override
  public void onHalfClose() {
    deliver(ServerCall.Listener::onHalfClose);
  }

  @Override
  public void onCancel() {
    synchronized (this) {
      gone = !beginning;
    }
    deliver(ServerCall.Listener::onCancel);
  }

  @Override
  public void onComplete() {
    deliver(ServerCall.Listener::onComplete);
  }

  @Override
  public void onReady() {
    deliver(ServerCall.Listener::onReady);
  }
}
