package dev.plinth.shards.store.etcd;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** All meters of the store but the sizes of members, which {@link MemberSizes} keeps. */
final class StoreMetrics {
  private final Timer done;
  private final Timer deposed;
  private final Timer failed;
  private final DistributionSummary bundles;
  private final Counter overtaken;
  private final Counter doubtful;
  private final Counter sessionsLost;
  private final Counter compactions;
  private final Counter standstills;
  private final MeterRegistry registry;

  StoreMetrics(MeterRegistry registry) {
    this.registry = registry;
    done = commits("done");
    deposed = commits("deposed");
    failed = commits("failed");
    bundles =
        DistributionSummary.builder("plinth.etcd.bundles")
            .description("Commits of different shards that left as one request")
            .register(registry);
    overtaken = retries("overtaken");
    doubtful = retries("doubtful");
    sessionsLost =
        Counter.builder("plinth.etcd.sessions.lost")
            .description("Sessions that ended, each with every shard of the node")
            .register(registry);
    compactions =
        Counter.builder("plinth.etcd.compactions")
            .description("Compactions of etcd's history by this node")
            .register(registry);
    standstills =
        Counter.builder("plinth.etcd.clock.standstills")
            .description("Times that authority was withheld, since the machine seems to have slept")
            .register(registry);
  }

  private Timer commits(String outcome) {
    return Timer.builder("plinth.shards.store.commit")
        .description("Commits, from hand-in to their outcome")
        .tag("outcome", outcome)
        .register(registry);
  }

  private Counter retries(String reason) {
    return Counter.builder("plinth.shards.store.commit.retries")
        .description("Tries of a commit that had to be sent again, and why")
        .tag("reason", reason)
        .register(registry);
  }

  MeterRegistry registry() {
    return registry;
  }

  void done(Timer.Sample since) {
    since.stop(done);
  }

  void deposed(Timer.Sample since) {
    since.stop(deposed);
  }

  void failed(Timer.Sample since) {
    since.stop(failed);
  }

  void bundled(int commits) {
    bundles.record(commits);
  }

  /** The guard on the predecessor refused a commit that came before it. */
  void overtaken() {
    overtaken.increment();
  }

  void doubtful() {
    doubtful.increment();
  }

  void sessionLost() {
    sessionsLost.increment();
  }

  void suspended() {
    standstills.increment();
  }

  void compacted() {
    compactions.increment();
  }
}
