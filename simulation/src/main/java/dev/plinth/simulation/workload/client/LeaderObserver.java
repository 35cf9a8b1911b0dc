package dev.plinth.simulation.workload.client;

import dev.plinth.client.election.ElectionObservation;
import dev.plinth.client.election.LeaderListener;
import dev.plinth.lease.v1.Leader;
import dev.plinth.simulation.workload.client.LeaderChecker.Heard;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A listener of a client, for one life of its process. */
final class LeaderObserver implements LeaderListener {
  private final ClientLife life;
  private final LeaderChecker leaders;
  private final List<Heard> story = new ArrayList<>();
  private boolean listening;

  LeaderObserver(ClientLife life, LeaderChecker leaders) {
    this.life = life;
    this.leaders = leaders;
  }

  /** Listens until its client is closed. */
  void run() throws InterruptedException {
    ElectionObservation observation =
        life.client().election(ElectionCaller.NAMESPACE, ElectionCaller.ELECTION).observe(this);
    listening = true;
    try {
      while (!life.isClosing()) {
        life.pause(500);
      }
    } finally {
      listening = false;
      observation.close();
    }
  }

  /** It will be told of all that is to come. */
  boolean isListening() {
    return listening && life.isAlive();
  }

  /** The term that ended last, if nobody leads now. */
  Optional<Long> lastEnded() {
    return LeaderChecker.lastEnded(story);
  }

  List<Heard> story() {
    return List.copyOf(story);
  }

  @Override
  public void onLeader(Leader leader) {
    life.log().count("observed terms");
    leaders.elected(leader.getTerm(), leader.getToken());
    story.add(new Heard.Leader(leader.getTerm(), leader.getToken()));
  }

  @Override
  public void onNoLeader(long term) {
    story.add(new Heard.NoLeader(term));
  }

  @Override
  public void onGap() {
    life.log().count("observed gaps");
    story.add(new Heard.Gap());
  }
}
