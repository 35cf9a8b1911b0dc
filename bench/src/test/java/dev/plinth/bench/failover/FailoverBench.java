package dev.plinth.bench.failover;

import static dev.plinth.bench.Table.count;

import dev.plinth.bench.Aims;
import dev.plinth.bench.Chosen;
import dev.plinth.bench.Millis;
import dev.plinth.bench.Pace;
import dev.plinth.bench.Page;
import dev.plinth.bench.Table;
import dev.plinth.shards.store.etcd.EtcdSettings;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.TestSettings;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three Plinth nodes with default settings on one etcd, and callers on 48 namespaces that send
 * failed calls again through another node. One node is killed, or told to stop: how long do calls
 * to its shards wait, and how many fail? Beside it etcd's own change of leader, and a lock of
 * ZooKeeper whose holder's session is as long as the session of a node.
 */
@Tag("failover")
class FailoverBench {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();
  @RegisterExtension static final SharedEngine ETCD_CLUSTER = Engines.etcdCluster();

  private static final int NAMESPACES = 48;
  private static final int ROUNDS = Integer.getInteger("plinth.bench.rounds", Pace.QUICK ? 1 : 3);
  private static final List<String> ROWS = List.of("kill", "stop", "etcd", "zookeeper");
  private static final List<String> NAMES =
      IntStream.range(0, NAMESPACES).mapToObj(NamespaceCaller::namespace).toList();
  private static final Duration BEFORE = Duration.ofSeconds(2);
  private static final Duration AFTER = Duration.ofSeconds(2);

  @TempDir Path directory;
  private final Table table =
      new Table(
          "fault",
          "times",
          "again after, p50 ms",
          "max ms",
          "other shards, max ms",
          "calls meanwhile",
          "attempts failed",
          "calls failed");
  private final List<Consumer<Aims>> judged = new ArrayList<>();

  @Test
  void failover() throws Exception {
    Chosen.checkRows(ROWS);
    if (Chosen.row("kill") || Chosen.row("stop")) {
      plinth();
    }
    if (Chosen.row("etcd")) {
      etcd();
    }
    if (Chosen.row("zookeeper")) {
      zooKeeper();
    }
    Aims aims = new Aims();
    judged.forEach(aim -> aim.accept(aims));
    Page page = new Page("benchmarks.md");
    page.put("failover", table);
    page.put("failover-aims", aims.table());
  }

  private void plinth() throws Exception {
    try (PlinthNodes nodes = new PlinthNodes(directory, ETCD.hostPorts())) {
      IntStream.range(0, PlinthNodes.COUNT).forEach(nodes::start);
      faults(nodes, 1, JavaProcess::kill); // code that no call has run yet
      if (Chosen.row("kill")) {
        Faults seen = faults(nodes, ROUNDS, JavaProcess::kill);
        report("kill -9 of a Plinth node", seen, 3_000);
      }
      if (Chosen.row("stop")) {
        Faults seen = faults(nodes, ROUNDS, FailoverBench::stop);
        report("orderly stop of a Plinth node", seen, 250);
      }
    }
  }

  private static void stop(JavaProcess process) {
    process.signal("TERM");
    if (process.exitCode() != 0) {
      throw new IllegalStateException("an unclean end:\n" + process.output());
    }
  }

  private void report(String fault, Faults seen, double wantedMillis) {
    table.row(
        fault,
        seen.rounds(),
        count(seen.hit().percentile(50)),
        count(seen.hit().max()),
        count(seen.others().max()),
        seen.calls(),
        seen.failedAttempts(),
        seen.failedCalls());
    judged.add(
        aims -> {
          aims.below(fault + ", max ms until its shards answer", wantedMillis, seen.hit().max());
          aims.below(fault + ", calls failed", 1, seen.failedCalls());
        });
  }

  private static Faults faults(PlinthNodes nodes, int rounds, Consumer<JavaProcess> fault)
      throws Exception {
    Faults seen = new Faults();
    for (int round = 0; round < rounds; round++) {
      int victim = round % PlinthNodes.COUNT;
      nodes.awaitSpread();
      List<String> hit = NAMES.stream().filter(name -> nodes.owns(victim, name)).toList();
      seen.add(NAMES, hit, fault(nodes.process(victim), fault, callers(nodes)));
      nodes.start(victim);
    }
    return seen;
  }

  private static Callers callers(PlinthNodes nodes) {
    return new Callers(
        outage ->
            IntStream.range(0, NAMESPACES)
                .<Runnable>mapToObj(i -> new NamespaceCaller(nodes, i, outage))
                .toList());
  }

  private static Outage fault(JavaProcess victim, Consumer<JavaProcess> fault, Callers callers)
      throws Exception {
    TimeUnit.NANOSECONDS.sleep(BEFORE.toNanos());
    Outage outage = callers.outage();
    outage.begin();
    fault.accept(victim);
    long gone = System.nanoTime();
    Await.until(
        "an answer to every caller",
        () -> NAMES.stream().allMatch(name -> outage.answeredAfter(name, gone)));
    TimeUnit.NANOSECONDS.sleep(AFTER.toNanos());
    callers.end();
    return outage;
  }

  private void etcd() throws Exception {
    Millis waited = new Millis();
    try (EtcdLeaderChange puts = new EtcdLeaderChange(ETCD_CLUSTER)) {
      for (int round = 0; round < ROUNDS; round++) {
        waited.add(puts.killLeader());
      }
    }
    row("kill -9 of etcd's leader, 3 members: puts", waited);
  }

  private void zooKeeper() throws Exception {
    Duration session = TestSettings.read(EtcdSettings.class).sessionTtl();
    Millis waited = new Millis();
    try (ZooKeeperSession lock = new ZooKeeperSession(directory, session)) {
      for (int round = 0; round < ROUNDS; round++) {
        waited.add(lock.killHolder());
      }
    }
    row("kill -9 of a Curator lock's holder, session of " + session.toSeconds() + " s", waited);
  }

  private void row(String fault, Millis waited) {
    table.row(fault, ROUNDS, count(waited.percentile(50)), count(waited.max()), "", "", "", "");
  }
}
