package dev.plinth.client;

import dev.plinth.lease.v1.CampaignRequest;
import dev.plinth.lease.v1.CampaignResponse;
import dev.plinth.lease.v1.CampaignResponse.Deposed;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.GetLeaderRequest;
import dev.plinth.lease.v1.GetLeaderResponse;
import dev.plinth.lease.v1.Leader;
import dev.plinth.lease.v1.Lease;
import io.grpc.StatusRuntimeException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps a candidate in line, and hears what becomes of it. Opened again within two seconds under
 * the same name and session, the stream keeps the place, and the leader its term. What a leader may
 * believe does not hang on the stream but on the session; the stream only tells of ends that come
 * before. On the own thread, but for what says otherwise.
 */
final class Campaign implements Session.Dependant, Following.Listener<CampaignResponse> {
  private static final Logger log = System.getLogger("plinth.client");

  /** Several of them, and the calls between, fit into the time for which a place is kept. */
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(400);

  /** By then the server has dropped whoever left the line, or has elected it just before. */
  private static final Duration SETTLED = Duration.ofSeconds(3);

  private final CampaignRequest request;
  private final Wiring wiring;
  private final OwnThread thread;
  private final Beginning beginning = new Beginning("Campaign");
  private final CompletableFuture<Leadership> elected = new CompletableFuture<>();
  private Session session;
  private long highest;
  private Following<CampaignRequest, CampaignResponse> stream;
  private Leadership leadership;
  private boolean over;
  private volatile int position;

  Campaign(CampaignRequest request, Wiring wiring) {
    this.request = request;
    this.wiring = wiring;
    this.thread = wiring.rhythm().thread();
  }

  CompletableFuture<Leadership> elected() {
    return elected;
  }

  int position() {
    return position;
  }

  /** Blocks until it stands in line. On the caller's thread. */
  void begin(Budget budget) throws InterruptedException {
    Campaign standing =
        wiring.candidates().merge(name(), this, (before, self) -> before.isOpen() ? before : self);
    if (standing != this) {
      throw new IllegalStateException(name() + " stands already (expected: once)");
    }
    boolean opened = false;
    try {
      Session on = wiring.sessions().current(request.getNamespace(), budget);
      opened = true;
      thread.execute(() -> stand(on));
    } finally {
      if (!opened) {
        wiring.candidates().remove(name(), this);
      }
    }
    beginning.await(budget, this::leave);
  }

  private String name() {
    return request.getNamespace() + "/" + request.getElection() + "/" + request.getCandidateId();
  }

  /** Stands or leads. On any thread. */
  private boolean isOpen() {
    return !elected.isDone()
        || !elected.isCompletedExceptionally() && !elected.join().lease().hold().isOver();
  }

  /** A leader that gave up would stand again by it. */
  @Override
  public boolean isWanted() {
    return leadership == null || !leadership.lease().hold().isOver();
  }

  private void stand(Session on) {
    if (over) {
      return;
    }
    CampaignRequest standing = request.toBuilder().setSessionId(on.id()).build();
    session = on;
    highest = wiring.tokens().highest(request.getNamespace());
    stream =
        new Following<>(
            wiring, ElectionServiceGrpc.getCampaignMethod(), LONGEST_PAUSE, () -> standing, this);
    session.attach(this);
    stream.open();
    if (session.isLost()) {
      sessionChanged(); // before it was attached
    }
  }

  /** On any thread. */
  @Override
  public void sessionChanged() {
    thread.execute(this::followSession);
  }

  private void followSession() {
    LeaseState state = session.state();
    if (over) {
      return;
    }
    if (state == LeaseState.SAFE) {
      stream.open(); // beats come through again; the stream may hang on a connection that is dead
    } else if (state == LeaseState.LOST && leadership != null) {
      finish();
    } else if (state == LeaseState.LOST) {
      stream.stop();
      session.detach(this);
      position = 0;
      wiring.background().execute(this::standAnew);
    }
  }

  /** The place in line is gone with the session. On a thread that may block. */
  private void standAnew() {
    try {
      Session next = wiring.sessions().current(request.getNamespace(), wiring.budget());
      thread.execute(() -> stand(next));
    } catch (CallFailed e) {
      thread.after(RetryRule.LONGEST_PAUSE, () -> wiring.background().execute(this::standAnew));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException e) { // the client is closed
      elected.completeExceptionally(e);
    }
  }

  @Override
  public void heard(CampaignResponse message) {
    switch (message.getBodyCase()) {
      case STANDING -> standing(message.getStanding().getPosition());
      case ELECTED -> elected(message.getElected());
      case DEPOSED -> deposed(message.getDeposed());
      case DANGER -> {
        if (message.getDanger().hasReleaseAsk()) {
          session.beatSoon(); // its answer tells of the ask with a time that can be counted from
        }
      }
      default -> {} // from a newer server
    }
    beginning.done();
  }

  /** A leader that stands in line was deposed while it could not hear of it. */
  private void standing(int place) {
    if (leadership == null) {
      position = place;
    } else {
      leadership.lease().hold().lose();
      leave();
    }
  }

  private void elected(Leader leader) {
    position = 0;
    if (leadership == null && !isPlausible(leader.getToken())) {
      resignations().later(lease(leader.getToken()));
      wiring.rhythm().events().tokenWentBack();
      elected.completeExceptionally(
          new TokenWentBack(request.getNamespace(), key(), leader.getToken(), highest));
      finish();
    } else if (leadership == null) {
      wiring.tokens().seenLeader(request.getNamespace(), key(), leader.getToken());
      LeaseHandle lease =
          new LeaseHandle(
              lease(leader.getToken()), Hold.on(session, leader.getToken()), resignations());
      leadership = new Leadership(request.getElection(), leader.getTerm(), lease, wiring);
      if (!elected.complete(leadership)) {
        leadership.closeLater();
      }
    } else if (leadership.token() != leader.getToken()) {
      leadership.lease().hold().lose();
      resignations().later(lease(leader.getToken()));
      finish();
    }
  }

  private boolean isPlausible(long token) {
    return wiring.tokens().isLeaders(request.getNamespace(), key(), token, highest);
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
  private Releases resignations() {
    return new Releases(wiring, session, false);
  }

  private void deposed(Deposed how) {
    if (leadership != null) {
      if (leadership.lease().hold().isHeld()) {
        log.log(
            Level.INFO,
            "{0} deposed: {1} by {2} {3}",
            leadership,
            how.getCause(),
            how.getBy(),
            how.getReason());
      }
      leadership.lease().hold().lose();
    }
    finish();
  }

  @Override
  public void refused(StatusRuntimeException why) {
    if (ErrorDetails.SESSION_EXPIRED.equals(ErrorDetails.reason(why))) {
      session.end();
    } else if (leadership != null) {
      thread.after(RetryRule.LONGEST_PAUSE, stream::open); // it leads, whoever listens
    } else {
      beginning.failed(why);
      elected.completeExceptionally(CallFailed.of("Campaign", why));
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
    wiring.candidates().remove(name(), this);
    if (session != null) {
      session.detach(this);
      stream.stop();
    }
  }

  /** The server may have elected it while the news that it left was under way. */
  private void giveUpIfElected() {
    if (session == null) {
      return;
    }
    GetLeaderRequest question =
        GetLeaderRequest.newBuilder()
            .setNamespace(request.getNamespace())
            .setElection(request.getElection())
            .build();
    wiring
        .errands()
        .run(
            ElectionServiceGrpc.getGetLeaderMethod(),
            question,
            () -> !session.isLost() && !wiring.candidates().containsKey(name()),
            this::giveUp);
  }

  private void giveUp(GetLeaderResponse now) {
    boolean mine =
        now.getLeader().getSessionId().equals(session.id())
            && now.getLeader().getCandidateId().equals(request.getCandidateId());
    if (mine && !wiring.candidates().containsKey(name())) {
      resignations().later(lease(now.getLeader().getToken()));
    }
  }
}
