package dev.plinth.bench.registry;

import static dev.plinth.bench.Table.count;
import static dev.plinth.bench.Table.millis;

import dev.plinth.bench.Aims;
import dev.plinth.bench.Chosen;
import dev.plinth.bench.Millis;
import dev.plinth.bench.Pace;
import dev.plinth.bench.Page;
import dev.plinth.bench.Table;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Members that live by their beats, one change for many watchers, and all watchers at once after
 * their connections broke: Plinth, a lease of etcd for every member, and Curator's service
 * discovery, each at a scale that it manages on this machine.
 */
@Tag("registry")
class RegistryBench {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  private static final List<String> ROWS = List.of("plinth", "etcd", "curator");
  private static final int SMALL = Pace.QUICK ? 10 : 1;
  private static final int CHANGES = 30 / SMALL;
  private static final int WATCHED_MEMBERS = 1000 / SMALL;
  private static final double SECONDS = 20.0 / SMALL;

  @TempDir Path directory;

  private final Table beats =
      new Table(
          "system",
          "members",
          "sessions",
          "CPU of the servers, % of a core",
          "CPU per member, us each second",
          "store writes each second");
  private final Table fanOut =
      new Table(
          "system", "watchers", "members", "changes", "a watcher p50 ms", "p99 ms", "the last ms");
  private final Table storm =
      new Table("system", "watchers", "members each", "all whole after s", "a beat p99 ms");
  private final Aims aims = new Aims();

  @Test
  void registry() throws Exception {
    Chosen.checkRows(ROWS);
    double plinth = 0;
    double etcd = 0;
    if (Chosen.row("plinth")) {
      ETCD.restartEmpty();
      try (PlinthMembers members = new PlinthMembers(directory, ETCD.node(0))) {
        plinth = run("Plinth on etcd", members, 1000 / SMALL, 100, 5000 / SMALL);
      }
    }
    if (Chosen.row("etcd")) {
      ETCD.restartEmpty();
      try (EtcdMembers members = new EtcdMembers(ETCD.node(0))) {
        etcd = run("etcd, a lease each", members, 10_000 / SMALL, 1, 5000 / SMALL);
      }
    }
    if (Chosen.row("curator")) {
      try (CuratorMembers members = new CuratorMembers(directory)) {
        run("Curator ServiceDiscovery", members, 100 / SMALL, 100, 200 / SMALL);
      }
    }
    aims.ratio("CPU per member of an etcd lease each, to Plinth's", 50, etcd / plinth);
    Page page = new Page("benchmarks-registry.md");
    page.put("beats", beats);
    page.put("fan-out", fanOut);
    page.put("storm", storm);
    page.put("aims", aims.table());
  }

  /** What keeping a member alive costs, in microseconds of CPU each second. */
  private double run(String name, MemberSystem system, int sessions, int membersEach, int watchers)
      throws Exception {
    system.keepAlive(sessions, membersEach);
    double perMember = measureBeats(name, system, sessions, membersEach);
    system.fill(WATCHED_MEMBERS);
    system.watch(watchers);
    measureChanges(name, system, watchers);
    measureStorm(name, system, watchers);
    return perMember;
  }

  private double measureBeats(String name, MemberSystem system, int sessions, int membersEach)
      throws Exception {
    TimeUnit.SECONDS.sleep(PlinthMembers.TTL.toSeconds() / SMALL); // a round of beats, and warm
    double commits = commits(system);
    double cpu = system.cpuSeconds();
    long from = System.nanoTime();
    TimeUnit.MILLISECONDS.sleep((long) (SECONDS * 1e3));
    double took = (System.nanoTime() - from) / 1e9;
    double share = (system.cpuSeconds() - cpu) / took;
    double written = (commits(system) - commits) / took;
    int members = sessions * membersEach;
    beats.row(
        name,
        count(members),
        count(sessions),
        "%.2f".formatted(100 * share),
        "%.3f".formatted(1e6 * share / members),
        system instanceof PlinthMembers ? "%.2f".formatted(written) : "");
    if (system instanceof PlinthMembers) {
      aims.below(name + ", store writes each second, none of them for a beat", 1, written);
    }
    return 1e6 * share / members;
  }

  private static double commits(MemberSystem system) throws Exception {
    return system instanceof PlinthMembers plinth ? plinth.commits() : 0;
  }

  private void measureChanges(String name, MemberSystem system, int watchers) throws Exception {
    Millis each = new Millis();
    Millis last = new Millis();
    for (int i = -CHANGES / 3; i < CHANGES; i++) {
      Arrivals arrivals = new Arrivals(watchers);
      system.change(arrivals);
      arrivals.await();
      if (i >= 0) {
        arrivals.addTo(each);
        last.add(arrivals.lastMillis());
      }
    }
    fanOut.row(
        name,
        count(watchers),
        count(WATCHED_MEMBERS),
        CHANGES,
        millis(each.percentile(50)),
        millis(each.percentile(99)),
        millis(last.max()));
    if (system instanceof PlinthMembers) {
      aims.below(
          name + ", p99 ms from a change to " + watchers + " watchers", 250, last.percentile(99));
    }
  }

  private void measureStorm(String name, MemberSystem system, int watchers) throws Exception {
    system.cutWatches();
    TimeUnit.SECONDS.sleep(1);
    if (system instanceof PlinthMembers plinth) {
      plinth.beatMillis(99); // only those of the storm count
    }
    long from = System.nanoTime();
    system.watch(watchers);
    double took = (System.nanoTime() - from) / 1e9;
    String beat =
        system instanceof PlinthMembers plinth ? "%.1f".formatted(plinth.beatMillis(99)) : "";
    storm.row(name, count(watchers), count(WATCHED_MEMBERS), "%.1f".formatted(took), beat);
  }
}
