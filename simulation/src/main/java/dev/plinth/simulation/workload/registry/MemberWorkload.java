package dev.plinth.simulation.workload.registry;

import dev.plinth.registry.v1.ListMembersRequest;
import dev.plinth.registry.v1.ListMembersResponse;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.workload.FinalQuestions;
import dev.plinth.simulation.workload.SimulatedPlatform;
import dev.plinth.simulation.workload.Workload;
import dev.plinth.simulation.workload.registry.MemberTold.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Processes that register members of groups, beat, fall silent and come back; and watchers. */
public final class MemberWorkload implements Workload {
  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;
  private static final long TOLD_WITHIN = 60;
  private static final int WATCHERS = 2;
  private static final int PERCENT = 15;

  private final SimulatedPlatform platform;
  private final Simulation simulation;
  private final MemberOptions options;
  private final MemberChecks checks = new MemberChecks();
  private final List<MemberClient> clients = new ArrayList<>();
  private final List<MemberWatcher> watchers = new ArrayList<>();

  public MemberWorkload(SimulatedPlatform platform) {
    this.platform = platform;
    simulation = platform.simulation();
    options = MemberOptions.draw(platform);
    for (int i = 0; i < platform.options().clients(); i++) {
      clients.add(new MemberClient(platform.client("client" + i), options, checks));
    }
    for (int i = 0; i < WATCHERS; i++) {
      watchers.add(new MemberWatcher(platform.client("watcher" + i), checks));
    }
  }

  @Override
  public void start() {
    clients.forEach(MemberClient::start);
    watchers.forEach(MemberWatcher::start);
  }

  /** Beats go on. */
  @Override
  public boolean isSettled() {
    return clients.stream().allMatch(MemberClient::isSettled);
  }

  @Override
  public void check() {
    FinalQuestions questions = platform.questions();
    checkViews(questions);
    checks.check();
    checkSilence(questions);
    checkViews(questions);
  }

  private Map<String, Seen> list(FinalQuestions questions) {
    ListMembersResponse answer =
        questions.ask(
            RegistryServiceGrpc.getListMembersMethod(),
            ListMembersRequest.newBuilder()
                .setNamespace(MemberClient.NAMESPACE)
                .setPageSize(1000)
                .build());
    Map<String, Seen> members = new TreeMap<>();
    answer.getMembersList().stream().map(Seen::of).forEach(each -> members.put(each.name(), each));
    return members;
  }

  /** R4: who folds a watch has what a list shows. */
  private void checkViews(FinalQuestions questions) {
    long end = simulation.now() + TOLD_WITHIN * SECOND;
    for (MemberWatcher watcher : watchers) {
      Map<String, Seen> listed = list(questions);
      Map<String, Seen> told = MemberFoldChecker.fold(watcher.story());
      while (!listed.equals(told) && simulation.now() < end) {
        simulation.runUntil(simulation.now() + SECOND / 2);
        listed = list(questions);
        told = MemberFoldChecker.fold(watcher.story());
      }
      if (!listed.equals(told)) {
        throw new AssertionError("a watch has " + told + "\n  where a list has " + listed);
      }
    }
  }

  /**
   * R3 and R5: of processes that fall silent all at once few are DEAD at first, and all within five
   * ttls.
   */
  private void checkSilence(FinalQuestions questions) {
    // What fell silent before counts as well.
    simulation.runUntil(simulation.now() + 6 * options.ttlMillis() * MILLI);
    Map<String, Seen> before = list(questions);
    clients.forEach(MemberClient::fallSilent);
    long silent = simulation.now();
    simulation.runUntil(silent + options.ttlMillis() * MILLI * 26 / 10);
    Map<String, Seen> after = list(questions);
    for (String group : List.of("group0/", "group1/")) {
      long there = before.keySet().stream().filter(name -> name.startsWith(group)).count();
      long left = after.keySet().stream().filter(name -> name.startsWith(group)).count();
      if (there - left > Math.max(1, there * PERCENT / 100)) {
        throw new AssertionError(
            "%d of %d members of %s died at once".formatted(there - left, there, group));
      }
    }
    simulation.runUntil(silent + options.ttlMillis() * MILLI * 51 / 10 + 3 * SECOND);
    if (!list(questions).isEmpty()) {
      throw new AssertionError("long silent members are there: " + list(questions));
    }
  }

  @Override
  public String toString() {
    return options.toString();
  }
}
