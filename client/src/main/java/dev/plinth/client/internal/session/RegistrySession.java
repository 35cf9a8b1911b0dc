package dev.plinth.client.internal.session;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseState;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.ClockReading;
import dev.plinth.client.internal.LocalDeadline;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.v1.BeatRequest;
import dev.plinth.registry.v1.BeatResponse;
import dev.plinth.registry.v1.CloseSessionRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * One session at the registry. It beats by unary calls: each has a deadline of its own and may take
 * another connection, and a proxy that cuts a stream makes nobody SUSPECT.
 *
 * <p>Its time here is the ttl, less a margin, from before the last answered beat was sent. The
 * server declares nobody dead before a full ttl after it handled that beat, whatever befell the
 * shard's owner since. So the time is over here before that. If the server still has the session
 * then, the next answered beat brings it back; only SESSION_UNKNOWN ends it.
 */
public final class RegistrySession implements Heartbeat.Session<BeatResponse> {
  /** Hears of a session. */
  interface Listener {
    void onBeat(BeatResponse answer, ClockReading sentAt);

    void onState(RegistrySession of, LeaseState state);

    /** The server has no such session; after its state was told, on the event loop. */
    void onEnd(RegistrySession of);
  }

  private final String namespace;
  private final OpenSessionResponse opened;
  private final ClientRuntime runtime;
  private final Listener listener;
  private final Heartbeat<BeatResponse> heartbeat;
  private volatile boolean unknown;

  /**
   * @param sentAt before the first attempt to open it: the answer may be one that was remembered
   */
  RegistrySession(
      String namespace,
      OpenSessionResponse opened,
      ClockReading sentAt,
      ClientRuntime runtime,
      Listener listener) {
    this.namespace = namespace;
    this.opened = opened;
    this.runtime = runtime;
    this.listener = listener;
    LocalDeadline deadline = new LocalDeadline(sentAt, ClientWire.duration(opened.getTtl()));
    this.heartbeat = new Heartbeat<>(this, deadline, runtime.environment());
  }

  void start() {
    heartbeat.start();
  }

  public String id() {
    return opened.getSessionId();
  }

  public long incarnation() {
    return opened.getIncarnation();
  }

  /** LOST is not final while the session {@link #isOpen}. */
  public LeaseState state() {
    return heartbeat.state();
  }

  /** Slept past its time, and no answer has come since. */
  public boolean isExpiredInSleep() {
    return heartbeat.isExpiredInSleep();
  }

  public Duration remaining() {
    return heartbeat.remaining();
  }

  /** False once the server said that it has no such session. */
  public boolean isOpen() {
    return !unknown;
  }

  /** A call under this session was refused: it is no more, whatever the next beat would say. */
  public void markUnknown() {
    ended();
    heartbeat.end();
  }

  /** Told apart from the state, which may have been LOST before, by the clock. */
  private void ended() {
    unknown = true;
    runtime.environment().loop().execute(() -> listener.onEnd(this));
  }

  /** Here first, then at the server. No beat is sent once this has returned. */
  CompletableFuture<?> close() {
    unknown = true;
    heartbeat.end();
    CloseSessionRequest request =
        CloseSessionRequest.newBuilder()
            .setNamespace(namespace)
            .setSessionId(id())
            .setIncarnation(incarnation())
            .setRequestId(runtime.newRequestId())
            .build();
    return runtime
        .retried(RegistryServiceGrpc.getCloseSessionMethod(), request)
        .timeout(ClientWire.duration(opened.getTtl()))
        .send();
  }

  @Override
  public CompletableFuture<BeatResponse> send(Duration deadline) {
    BeatRequest request =
        BeatRequest.newBuilder()
            .setNamespace(namespace)
            .setSessionId(id())
            .setIncarnation(incarnation())
            .build();
    return runtime.send(RegistryServiceGrpc.getBeatMethod(), request, deadline);
  }

  @Override
  public Duration ttl(BeatResponse answer) {
    return ClientWire.duration(answer.getTtl());
  }

  @Override
  public boolean isEndedBy(CallFailedException failure) {
    if (isUnknown(failure)) {
      ended();
    }
    return unknown;
  }

  /** Whether the server has no such session. */
  public static boolean isUnknown(CallFailedException failure) {
    return failure.reason() == ErrorReason.ERROR_REASON_SESSION_UNKNOWN;
  }

  @Override
  public boolean isRevivable() {
    return !unknown;
  }

  @Override
  public void onAnswer(BeatResponse answer, ClockReading sentAt) {
    listener.onBeat(answer, sentAt);
  }

  @Override
  public void onStateChange(LeaseState state) {
    listener.onState(this, state);
  }
}
