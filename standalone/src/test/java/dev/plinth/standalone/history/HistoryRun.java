package dev.plinth.standalone.history;

import dev.plinth.testkit.Await;
import dev.plinth.testkit.History;
import dev.plinth.testkit.HoldChecker;
import dev.plinth.testkit.lease.LeaseAnswer;
import dev.plinth.testkit.lease.LeaseCall;
import dev.plinth.testkit.lease.LeaseModel;
import dev.plinth.testkit.linear.Linearizability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One run: clients at work, faults one after the other, then the checks. The seed decides what
 * clients do and what goes wrong, not how their threads interleave, so a seed that failed once is
 * to be run several times.
 */
final class HistoryRun {
  static final int CALLERS = 6;
  private static final int KEEPERS = 2;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int FAULTS = 3;
  private static final int BETWEEN_FAULTS = 150;

  private final long seed;
  private final Cluster cluster;
  private final RandomGenerator random;
  private final int keys;
  private final boolean hurried;
  private final List<Fault> faults;
  private final long start = System.nanoTime();
  private final History<LeaseCall, LeaseAnswer> history =
      new History<>(() -> System.nanoTime() - start);
  private final Wire wire;
  private final Sender sender;
  private final MixedWork mixed;
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private volatile boolean over;

  HistoryRun(long seed, Cluster cluster) {
    this.seed = seed;
    this.cluster = cluster;
    this.random = random(seed);
    this.keys = random.nextInt(1, 4);
    this.hurried = random.nextBoolean();
    this.faults = Fault.choose(FAULTS, cluster.isOnEtcd(), random);
    this.wire = new Wire("run" + seed, seed % 3 != 0);
    this.sender = new Sender(cluster, wire, history);
    this.mixed = new MixedWork("run" + seed, cluster, start, i -> random(seed * 31 + 7 + i));
  }

  private static RandomGenerator random(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  /** Fails with the seed, and leaves the history in a file. */
  void run() throws Exception {
    try {
      work();
      check();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(description() + ", history in " + save(), e);
    }
  }

  private String description() {
    return "seed %d on %s: %d keys in %s, %s, %s"
        .formatted(
            seed,
            cluster.isOnEtcd() ? "etcd" : "embedded",
            keys,
            wire.spread() ? "a namespace each" : "one namespace",
            hurried ? "hurried" : "leisurely",
            faults);
  }

  private void work() throws InterruptedException {
    List<Runnable> others = mixed.turns();
    CountDownLatch ended = new CountDownLatch(CALLERS + KEEPERS + 1 + others.size());
    others.forEach(turn -> loop(turn, ended));
    for (int i = 0; i < CALLERS; i++) {
      Caller caller = new Caller(i, keys, hurried, sender, random(seed * CALLERS + i));
      loop(caller::turn, ended);
    }
    for (int i = 0; i < KEEPERS; i++) {
      loop(new Keeper(CALLERS + i, sender, random(seed + i))::turn, ended);
    }
    List<String> all =
        Stream.concat(IntStream.range(0, keys).mapToObj(i -> "key" + i), Stream.of(Keeper.KEY))
            .toList();
    Onlookers onlookers = new Onlookers(cluster, wire, history, all);
    loop(
        () -> {
          onlookers.lookOnce();
          LockSupport.parkNanos(LOOK_NANOS);
        },
        ended);
    try {
      for (Fault fault : faults) {
        awaitMore();
        int node = random.nextInt(4) > 0 ? sender.served() : random.nextInt(cluster.size());
        fault.strike(cluster, node, random);
      }
      awaitMore();
      // What was written wrongly behind an owner's back shows when another reads it.
      Fault.SERVER_KILLED.strike(cluster, sender.served(), random);
      awaitMore();
    } finally {
      over = true;
      if (!ended.await(Sender.PATIENT.toSeconds() + 20, TimeUnit.SECONDS)) {
        failures.add(new AssertionError("clients that do not end"));
      }
    }
    failFast();
  }

  private void loop(Runnable turn, CountDownLatch ended) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (!over && failures.isEmpty()) {
                  turn.run();
                }
              } catch (RuntimeException | AssertionError e) {
                failures.add(e);
              } finally {
                ended.countDown();
              }
            },
            "history-client");
    thread.setDaemon(true);
    thread.start();
  }

  private void awaitMore() {
    int enough = sender.answered() + BETWEEN_FAULTS;
    Await.until(
        BETWEEN_FAULTS + " more answers", () -> sender.answered() >= enough || !failures.isEmpty());
    failFast();
  }

  private void failFast() {
    if (!failures.isEmpty()) {
      throw new AssertionError("a client failed\n" + cluster.output(), failures.get(0));
    }
  }

  private void check() {
    mixed.check();
    Linearizability.require(new LeaseModel(), history.operations(), LeaseCall::key);
    // Tokens rise within a shard, so over all keys of a namespace.
    Holds.of(history.operations()).stream()
        .collect(Collectors.groupingBy(hold -> wire.namespace(hold.key())))
        .values()
        .forEach(HoldChecker::check);
  }

  private Path save() {
    Path file = Path.of("build", "histories", "seed-" + seed + ".txt").toAbsolutePath();
    try {
      Files.createDirectories(file.getParent());
      history.write(file);
      mixed.write(file.resolveSibling("seed-" + seed + "-mixed.txt"));
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return description() + ", " + sender.answered() + " answers, " + mixed.answered() + " mixed";
  }
}
