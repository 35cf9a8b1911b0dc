package dev.plinth.client;

import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.Leader;
import dev.plinth.lease.v1.ObserveRequest;
import dev.plinth.lease.v1.ObserveResponse;
import io.grpc.StatusRuntimeException;

/** A listener's view of an election, until it is closed. */
public final class Observation implements AutoCloseable {
  private static final String METHOD = "Observe";
  static final int MOST_WAITING = 256;

  private final ObserveRequest request;
  private final OwnThread thread;
  private final InOrder calls;
  private final TermLog log;
  private final Following<ObserveRequest, ObserveResponse> stream;
  private final Beginning beginning = new Beginning(METHOD);
  private volatile boolean closed;

  Observation(String namespace, String election, LeaderListener listener, Wiring wiring) {
    request = ObserveRequest.newBuilder().setNamespace(namespace).setElection(election).build();
    thread = wiring.rhythm().thread();
    calls = new InOrder(wiring.rhythm().callbacks());
    log = new TermLog(inOrder(listener), wiring.rhythm().events());
    stream =
        new Following<>(
            wiring,
            ElectionServiceGrpc.getObserveMethod(),
            RetryRule.LONGEST_PAUSE,
            () -> request.toBuilder().setResumeToken(log.resumeToken()).build(),
            new Ear());
  }

  void begin(Budget budget) throws InterruptedException {
    thread.execute(stream::open);
    beginning.await(budget, this::close);
  }

  /** Calls that the listener has not taken yet. */
  int waiting() {
    return calls.waiting();
  }

  private final class Ear implements Following.Listener<ObserveResponse> {
    @Override
    public void heard(ObserveResponse message) {
      log.take(message);
      beginning.done();
    }

    /** A listener that is slow, or blocks for good, must not fill the memory. */
    @Override
    public boolean isReady() {
      return calls.waiting() < MOST_WAITING;
    }

    /** One that went well before was refused for its token: from a snapshot, then. */
    @Override
    public void refused(StatusRuntimeException why) {
      if (log.isEmpty()) {
        beginning.failed(why);
      } else {
        log.loseTrack();
        thread.after(RetryRule.LONGEST_PAUSE, stream::open);
      }
    }
  }

  private LeaderListener inOrder(LeaderListener to) {
    return new LeaderListener() {
      @Override
      public void onLeader(Leader leader) {
        tell(() -> to.onLeader(leader));
      }

      @Override
      public void onNoLeader(long term) {
        tell(() -> to.onNoLeader(term));
      }

      @Override
      public void onValue(Leader leader) {
        tell(() -> to.onValue(leader));
      }

      @Override
      public void onGap() {
        tell(to::onGap);
      }

      private void tell(Runnable news) {
        calls.execute(
            () -> {
              try {
                if (!closed) {
                  news.run();
                }
              } finally {
                if (calls.waiting() == 0) {
                  thread.execute(stream::goOn);
                }
              }
            });
      }
    };
  }

  /** Nothing is told any more, but a call to the listener that is under way ends by itself. */
  @Override
  public void close() {
    closed = true;
    thread.execute(stream::stop);
  }
}
