package dev.plinth.client.election;

import dev.plinth.client.internal.ClientEvents;
import dev.plinth.lease.v1.Leader;
import dev.plinth.lease.v1.ObserveResponse;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;

/**
 * What a listener was told of an election, so that it is told everything once. A stream that goes
 * on after a break may say again what its last commit said, and a snapshot says what is, not what
 * is new.
 */
final class LeaderEventFilter {
  private static final long NONE = -1;

  private static final Logger logger = System.getLogger("plinth.client");

  private final LeaderListener listener;
  private final Executor calls;
  private final ClientEvents events;
  private String resumeToken = "";
  private long term = NONE;
  private boolean leads;
  private Leader last = Leader.getDefaultInstance();

  /**
   * @param calls where the listener is called; runs tasks in order
   */
  LeaderEventFilter(LeaderListener listener, Executor calls, ClientEvents events) {
    this.listener = listener;
    this.calls = calls;
    this.events = events;
  }

  /** To resume after what was told; empty to begin with a snapshot. */
  String resumeToken() {
    return resumeToken;
  }

  boolean isEmpty() {
    return term == NONE;
  }

  /** The server does not take the token; what it says next is a snapshot. */
  void loseTrack() {
    resumeToken = "";
    if (!isEmpty()) {
      calls.execute(listener::onGap);
    }
  }

  void take(ObserveResponse message) {
    switch (message.getBodyCase()) {
      case SNAPSHOT -> snapshot(message.getSnapshot());
      case LEADER -> leader(message.getLeader());
      case NO_LEADER -> noLeader(message.getNoLeader().getTerm());
      case VALUE -> value(message.getValue());
      case GAP -> loseTrack();
      default -> {} // progress: only the token
    }
    // A gap has no token to resume after: without the snapshot that follows, it begins with one.
    if (!message.hasGap() && !message.getResumeToken().isEmpty()) {
      resumeToken = message.getResumeToken();
    }
  }

  private void snapshot(ObserveResponse.Snapshot now) {
    if (now.hasLeader()) {
      checkToken(now.getLeader());
      leader(now.getLeader());
      value(now.getLeader());
    } else {
      noLeader(now.getTerm());
    }
  }

  /**
   * A token that is lower than one that was told says that the server's store went back. Its terms
   * are told again only when they are news; until then the listener knows that it is behind.
   */
  private void checkToken(Leader leader) {
    if (leader.getToken() < last.getToken()) {
      logger.log(
          Level.ERROR,
          "leader {0} with token {1} after {2}: the server''s store went back",
          leader.getCandidateId(),
          Long.toString(leader.getToken()),
          Long.toString(last.getToken()));
      events.tokenWentBack();
      calls.execute(listener::onGap);
    }
  }

  private void leader(Leader leader) {
    if (leader.getTerm() > term) {
      if (leads) {
        noLeaderSince(term); // its end went by in a gap
      }
      term = leader.getTerm();
      leads = true;
      last = leader;
      calls.execute(() -> listener.onLeader(leader));
    }
  }

  private void noLeader(long ended) {
    boolean isNews = ended > term || ended == term && leads;
    if (isNews) {
      term = ended;
      leads = false;
      noLeaderSince(ended);
    }
  }

  private void noLeaderSince(long ended) {
    calls.execute(() -> listener.onNoLeader(ended));
  }

  private void value(Leader leader) {
    boolean isNews =
        leads && leader.getTerm() == term && !leader.getValue().equals(last.getValue());
    if (isNews) {
      last = leader;
      calls.execute(() -> listener.onValue(leader));
    }
  }
}
