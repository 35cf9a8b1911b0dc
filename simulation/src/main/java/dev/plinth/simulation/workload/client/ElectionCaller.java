package dev.plinth.simulation.workload.client;

import dev.plinth.client.election.CampaignOptions;
import dev.plinth.client.election.Candidacy;
import dev.plinth.client.election.Election;
import dev.plinth.client.election.Leadership;
import dev.plinth.client.lease.LeaseLostException;
import dev.plinth.lease.v1.Candidate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** A thread that stands for election, leads for a while, and resigns or hands over. */
final class ElectionCaller {
  static final String NAMESPACE = "elections";
  static final String ELECTION = "leader";

  private final ClientLife life;
  private final ClientOptions options;
  private final BeliefChecker beliefs;
  private final LeaderChecker leaders;
  private final Election election;
  private final SplittableRandom random;

  ElectionCaller(
      ClientLife life, ClientOptions options, BeliefChecker beliefs, LeaderChecker leaders) {
    this.life = life;
    this.options = options;
    this.beliefs = beliefs;
    this.leaders = leaders;
    this.election = life.client().election(NAMESPACE, ELECTION);
    this.random = life.random();
  }

  /** One candidacy. */
  void turn() throws InterruptedException {
    life.log().count("operations");
    long asked = life.now();
    CampaignOptions how = CampaignOptions.defaults().priority(random.nextInt(2));
    try (Candidacy candidacy = election.campaign(how)) {
      Optional<Leadership> won = candidacy.await(Duration.ofMillis(random.nextInt(100, 10_000)));
      if (won.isPresent()) {
        lead(won.get(), asked);
      }
    }
  }

  private void lead(Leadership leadership, long asked) throws InterruptedException {
    HeldLease held = new HeldLease(life, leadership.lease(), false, asked);
    life.log().count("terms");
    leaders.elected(leadership.term(), leadership.token());
    beliefs.granted(held);
    leadership.onDeposed(held::toldOfLoss);
    try {
      long end = life.now() + random.nextLong(3 * options.ttl().toNanos());
      while (life.now() < end && !life.isOver() && held.isBelieved()) {
        if (random.nextInt(8) == 0) {
          leadership.proclaim("value " + random.nextInt(1000));
        }
        life.pause(random.nextInt(1, 300));
      }
      if (held.isBelieved() && random.nextInt(3) == 0) {
        handOver(leadership, held);
      }
      awaitTold(held);
    } catch (LeaseLostException e) {
      life.log().count("deposed");
      awaitTold(held);
    } finally {
      held.givesBack();
    }
  }

  /** It does not lead from here on, whatever becomes of it. */
  private void handOver(Leadership leadership, HeldLease held) throws InterruptedException {
    List<Candidate> queue = election.candidates();
    if (!queue.isEmpty()) {
      held.givesBack();
      life.log().count("hand-overs");
      leadership.transferTo(queue.get(random.nextInt(queue.size())).getCandidateId());
    }
  }

  private void awaitTold(HeldLease held) throws InterruptedException {
    if (held.isLost() && !life.isClosing()) {
      life.log().count("losses");
      life.pause(500);
      life.pause(500);
      if (held.told() != 1 && life.computer().isAwakeFor(1000)) {
        life.log().violation("a leader was not told once that it lost: " + held);
      }
    }
  }
}
