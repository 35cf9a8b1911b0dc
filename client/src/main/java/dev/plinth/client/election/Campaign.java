package dev.plinth.client.election;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseState;
import dev.plinth.client.TokenWentBackException;
import dev.plinth.client.internal.ClientEventLoop;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.OperationDeadline;
import dev.plinth.client.internal.ResumingStream;
import dev.plinth.client.internal.RetrySchedule;
import dev.plinth.client.internal.StreamStartLatch;
import dev.plinth.client.internal.session.ClientSession;
import dev.plinth.client.internal.session.LeaseReleaser;
import dev.plinth.client.internal.session.LocalLease;
import dev.plinth.client.internal.session.NamespaceSessions;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.CampaignRequest;
import dev.plinth.lease.v1.CampaignResponse;
import dev.plinth.lease.v1.CampaignResponse.Deposed;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.GetLeaderRequest;
import dev.plinth.lease.v1.GetLeaderResponse;
import dev.plinth.lease.v1.Leader;
import dev.plinth.lease.v1.Lease;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps a candidate in the queue, and learns what becomes of it. Opened again within two seconds
 * under the same name and session, the stream keeps the place, and the leader its term. What a
 * leader may believe depends on the session, not on the stream; the stream only tells of ends that
 * come before. On the event loop, but for what says otherwise.
 */
final class Campaign
    implements ClientSession.SessionListener, ResumingStream.Listener<CampaignResponse> {
  private static final Logger log = System.getLogger("plinth.client");

  /** Several of them, and the calls between, fit into the time for which a place is kept. */
  private static final Duration MAX_BACKOFF = Duration.ofMillis(400);

  /** By then the server has dropped whoever left the line, or has elected it just before. */
  private static final Duration SETTLED = Duration.ofSeconds(3);

  private final CampaignRequest request;
  private final ClientRuntime runtime;
  private final NamespaceSessions sessions;
  private final Map<String, Campaign> candidates;
  private final ClientEventLoop thread;
  private final StreamStartLatch started;
  private final CompletableFuture<Leadership> elected = new CompletableFuture<>();
  private ClientSession session;
  private long highest;
  private ResumingStream<CampaignRequest, CampaignResponse> stream;
  private Leadership leadership;
  private volatile LocalLease hold;
  private boolean over;
  private volatile int position;

  /**
   * @param candidates who of this client stands where; one can stand once
   */
  Campaign(
      CampaignRequest request,
      ClientRuntime runtime,
      NamespaceSessions sessions,
      Map<String, Campaign> candidates) {
    this.request = request;
    this.runtime = runtime;
    this.sessions = sessions;
    this.candidates = candidates;
    this.thread = runtime.environment().loop();
    this.started = new StreamStartLatch(runtime.machine(), "Campaign");
  }

  CompletableFuture<Leadership> elected() {
    return elected;
  }

  int position() {
    return position;
  }

  /** Blocks until it stands in the queue. On the caller's thread. */
  void begin(OperationDeadline deadline) throws InterruptedException {
    Campaign standing =
        candidates.merge(name(), this, (before, self) -> before.isOpen() ? before : self);
    if (standing != this) {
      throw new IllegalStateException(name() + " stands already (expected: once)");
    }
    boolean opened = false;
    try {
      ClientSession on = sessions.current(request.getNamespace(), deadline);
      opened = true;
      thread.execute(() -> stand(on));
    } finally {
      if (!opened) {
        candidates.remove(name(), this);
      }
    }
    started.await(deadline, this::abandon);
  }

  /** Its caller gives up before it stood: the same candidate may stand again at once. */
  private void abandon() {
    if (!elected.cancel(false) && hold != null) {
      hold.closeLater();
    }
    leave();
  }

  private String name() {
    return request.getNamespace() + "/" + request.getElection() + "/" + request.getCandidateId();
  }

  /** Stands or leads. On any thread. */
  private boolean isOpen() {
    return !elected.isDone() || !elected.isCompletedExceptionally() && !hold.isEnded();
  }

  /** A leader that gave up would stand again by it. */
  @Override
  public boolean isActive() {
    return leadership == null || !hold.isEnded();
  }

  private void stand(ClientSession on) {
    if (over) {
      return;
    }
    CampaignRequest standing = request.toBuilder().setSessionId(on.id()).build();
    session = on;
    highest = sessions.tokens().highest(request.getNamespace());
    stream =
        new ResumingStream<>(
            runtime, ElectionServiceGrpc.getCampaignMethod(), MAX_BACKOFF, () -> standing, this);
    session.attach(this);
    stream.open();
    if (session.isLost()) {
      sessionChanged(); // before it was attached
    }
  }

  /** On any thread. */
  @Override
  public void sessionChanged() {
    thread.execute(this::onSessionChange);
  }

  private void onSessionChange() {
    LeaseState state = session.state();
    if (over) {
      return;
    }
    if (state == LeaseState.SAFE) {
      stream
          .open(); // heartbeats are answered again; the stream may be on a connection that is dead
    } else if (state == LeaseState.LOST && leadership != null) {
      finish();
    } else if (state == LeaseState.LOST) {
      stream.stop();
      session.detach(this);
      position = 0;
      runtime.background().execute(this::rejoin);
    }
  }

  /** The queue position is gone with the session. On a thread that may block. */
  private void rejoin() {
    try {
      ClientSession next = sessions.current(request.getNamespace(), runtime.deadline());
      thread.execute(() -> stand(next));
    } catch (CallFailedException e) {
      thread.after(RetrySchedule.MAX_BACKOFF, () -> runtime.background().execute(this::rejoin));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException e) { // the client is closed
      elected.completeExceptionally(e);
    }
  }

  @Override
  public void onMessage(CampaignResponse message) {
    switch (message.getBodyCase()) {
      case STANDING -> standing(message.getStanding().getPosition());
      case ELECTED -> elected(message.getElected());
      case DEPOSED -> deposed(message.getDeposed());
      case DANGER -> {
        if (message.getDanger().hasReleaseAsk()) {
          // Its answer tells of the request with a time that can be counted from.
          session.sendHeartbeatNow();
        }
      }
      default -> {} // from a newer server
    }
    started.done();
  }

  /** A leader that stands in the queue was deposed while it could not hear of it. */
  private void standing(int place) {
    if (leadership == null) {
      position = place;
    } else {
      hold.markLost();
      leave();
    }
  }

  private void elected(Leader leader) {
    position = 0;
    if (leadership == null && !isPlausible(leader.getToken())) {
      resignations().later(lease(leader.getToken()));
      runtime.environment().events().tokenWentBack();
      elected.completeExceptionally(
          new TokenWentBackException(request.getNamespace(), key(), leader.getToken(), highest));
      finish();
    } else if (leadership == null) {
      sessions.tokens().seenLeader(request.getNamespace(), key(), leader.getToken());
      hold = LocalLease.on(session, lease(leader.getToken()), resignations());
      leadership = new Leadership(request.getElection(), leader.getTerm(), hold, runtime);
      if (!elected.complete(leadership)) {
        hold.closeLater();
      }
    } else if (leadership.token() != leader.getToken()) {
      hold.markLost();
      resignations().later(lease(leader.getToken()));
      finish();
    }
  }

  private boolean isPlausible(long token) {
    return sessions.tokens().isLeaders(request.getNamespace(), key(), token, highest);
  }

  private String key() {
    return "election/" + request.getElection();
  }

  private Lease lease(long token) {
    return Lease.newBuilder()
        .setNamespace(request.getNamespace())
        .setKey(key())
        .setToken(token)
        .build();
  }

  /** Not by Resign, which does not tell when it has to be sent once more. */
  private LeaseReleaser resignations() {
    return new LeaseReleaser(runtime, session, false);
  }

  private void deposed(Deposed how) {
    if (leadership != null) {
      if (hold.isHeld()) {
        log.log(
            Level.INFO,
            "{0} deposed: {1} by {2} {3}",
            leadership,
            how.getCause(),
            how.getBy(),
            how.getReason());
      }
      hold.markLost();
    }
    finish();
  }

  @Override
  public void refused(CallFailedException why) {
    if (why.reason() == ErrorReason.ERROR_REASON_SESSION_EXPIRED) {
      session.end();
    } else if (leadership != null) {
      thread.after(RetrySchedule.MAX_BACKOFF, stream::open); // it leads, whoever listens
    } else {
      started.failed(why);
      elected.completeExceptionally(why);
      finish();
    }
  }

  /** On any thread. */
  void leave() {
    thread.execute(
        () -> {
          if (!over) {
            finish();
            giveUpIfElected();
            thread.after(SETTLED, this::giveUpIfElected);
          }
        });
  }

  private void finish() {
    over = true;
    candidates.remove(name(), this);
    if (session != null) {
      session.detach(this);
      stream.stop();
    }
  }

  /** The server may have elected it before it learned that it left. */
  private void giveUpIfElected() {
    if (session == null) {
      return;
    }
    GetLeaderRequest question =
        GetLeaderRequest.newBuilder()
            .setNamespace(request.getNamespace())
            .setElection(request.getElection())
            .build();
    runtime.sendInBackground(
        ElectionServiceGrpc.getGetLeaderMethod(),
        question,
        () -> !session.isLost() && !candidates.containsKey(name()),
        this::giveUp);
  }

  private void giveUp(GetLeaderResponse now) {
    boolean mine =
        now.getLeader().getSessionId().equals(session.id())
            && now.getLeader().getCandidateId().equals(request.getCandidateId());
    if (mine && !candidates.containsKey(name())) {
      resignations().later(lease(now.getLeader().getToken()));
    }
  }
}
