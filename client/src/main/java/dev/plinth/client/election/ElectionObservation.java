package dev.plinth.client.election;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientEventLoop;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.OperationDeadline;
import dev.plinth.client.internal.ResumingStream;
import dev.plinth.client.internal.RetrySchedule;
import dev.plinth.client.internal.SerialExecutor;
import dev.plinth.client.internal.StreamStartLatch;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.ObserveRequest;
import dev.plinth.lease.v1.ObserveResponse;

/** A listener's view of an election, until it is closed. */
public final class ElectionObservation implements AutoCloseable {
  private static final String METHOD = "Observe";
  static final int MAX_WAITING = 256;

  private final ObserveRequest request;
  private final ClientEventLoop thread;
  private final SerialExecutor calls;
  private final LeaderEventFilter log;
  private final ResumingStream<ObserveRequest, ObserveResponse> stream;
  private final StreamStartLatch started;
  private volatile boolean closed;

  ElectionObservation(
      String namespace, String election, LeaderListener listener, ClientRuntime runtime) {
    request = ObserveRequest.newBuilder().setNamespace(namespace).setElection(election).build();
    thread = runtime.environment().loop();
    started = new StreamStartLatch(runtime.machine(), METHOD);
    calls = new SerialExecutor(runtime.environment().callbacks());
    log = new LeaderEventFilter(listener, this::deliver, runtime.environment().events());
    stream =
        new ResumingStream<>(
            runtime,
            ElectionServiceGrpc.getObserveMethod(),
            RetrySchedule.MAX_BACKOFF,
            () -> request.toBuilder().setResumeToken(log.resumeToken()).build(),
            new ResponseReceiver());
  }

  void begin(OperationDeadline deadline) throws InterruptedException {
    thread.execute(stream::open);
    started.await(deadline, this::close);
  }

  /** Calls that the listener has not taken yet. */
  int waiting() {
    return calls.waiting();
  }

  private final class ResponseReceiver implements ResumingStream.Listener<ObserveResponse> {
    @Override
    public void onMessage(ObserveResponse message) {
      log.take(message);
      started.done();
    }

    /** A listener that is slow, or blocks for good, must not fill the memory. */
    @Override
    public boolean isReady() {
      return calls.waiting() < MAX_WAITING;
    }

    /** One that went well before was refused for its token: from a snapshot, then. */
    @Override
    public void refused(CallFailedException why) {
      if (log.isEmpty()) {
        started.failed(why);
      } else {
        log.loseTrack();
        thread.after(RetrySchedule.MAX_BACKOFF, stream::open);
      }
    }
  }

  /** On the event loop. */
  private void deliver(Runnable event) {
    calls.execute(
        () -> {
          try {
            if (!closed) {
              event.run();
            }
          } finally {
            if (calls.waiting() == 0) {
              thread.execute(stream::resume);
            }
          }
        });
  }

  /** Nothing is told any more, but a call to the listener that is running ends by itself. */
  @Override
  public void close() {
    closed = true;
    thread.execute(stream::stop);
  }
}
