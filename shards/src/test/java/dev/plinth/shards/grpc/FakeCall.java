package dev.plinth.shards.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The server's side of a call whose reader the test plays. */
final class FakeCall<M> extends ServerCallStreamObserver<M> {
  final List<M> received = new CopyOnWriteArrayList<>();
  volatile boolean ready = true;
  volatile Throwable error;
  private volatile boolean cancelled;
  private Runnable onCancel = () -> {};
  private Runnable onReady = () -> {};

  void cancel() {
    cancelled = true;
    onCancel.run();
  }

  /** The reader has read what there was. */
  void becomeReady() {
    ready = true;
    onReady.run();
  }

  @Override
  public boolean isCancelled() {
    return cancelled;
  }

  @Override
  public void setOnCancelHandler(Runnable handler) {
    onCancel = handler;
  }

  @Override
  public void setCompression(String compression) {}

  @Override
  public boolean isReady() {
    return ready;
  }

  @Override
  public void setOnReadyHandler(Runnable handler) {
    onReady = handler;
  }

  @Override
  public void request(int count) {}

  @Override
  public void setMessageCompression(boolean enable) {}

  @Override
  public void disableAutoInboundFlowControl() {}

  @Override
  public void onNext(M value) {
    received.add(value);
  }

  @Override
  public void onError(Throwable thrown) {
    error = thrown;
  }

  @Override
  public void onCompleted() {}
}
