package dev.plinth.simulation.workload.client;

import dev.plinth.lease.v1.GetPolicyRequest;
import dev.plinth.lease.v1.GetPolicyResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.workload.FinalQuestions;
import dev.plinth.simulation.workload.SimulatedPlatform;
import dev.plinth.simulation.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Real clients that take leases and stand for election, with threads that wait, are interrupted,
 * and whose clients are closed under them.
 */
public final class ClientWorkload implements Workload {
  private static final long SECOND = 1_000_000_000L;
  private static final long SETTLED_WITHIN = 60;
  // Where the memory for requests is full, releases wait until others are forgotten.
  private static final long FORGOTTEN_WITHIN = 15 * 60;
  private static final int MOST_CLIENTS = 4;

  private final SimulatedPlatform platform;
  private final Simulation simulation;
  private final ClientOptions options;
  private final ClientCrowd clients;
  private final List<LeaderObserver> observers = new ArrayList<>();
  private final BeliefChecker leases;
  private final BeliefChecker terms;
  private final LeaderChecker leaders = new LeaderChecker();
  private final GuardedRegister register;

  public ClientWorkload(SimulatedPlatform platform) {
    this.platform = platform;
    simulation = platform.simulation();
    clients =
        new ClientCrowd(
            platform, Math.min(MOST_CLIENTS, platform.options().clients()), this::startTasks);
    options = clients.options();
    leases = new BeliefChecker(platform.log()::violation);
    terms = new BeliefChecker(platform.log()::violation);
    register = new GuardedRegister(platform);
  }

  @Override
  public void start() {
    clients.start();
  }

  private void startTasks(ClientLife life) {
    for (int i = 0; i < options.callers(); i++) {
      LeaseCaller caller = new LeaseCaller(life, options, leases, register);
      life.caller("caller" + i, caller::turn);
    }
    if (options.has("elections")) {
      life.caller("candidate", new ElectionCaller(life, options, terms, leaders)::turn);
      life.listener(
          "observer",
          () -> {
            LeaderObserver observer = new LeaderObserver(life, leaders);
            observers.add(observer);
            observer.run();
          });
    }
  }

  @Override
  public void healed() {
    clients.heal();
  }

  @Override
  public boolean isSettled() {
    return clients.haveEnded();
  }

  @Override
  public void check() {
    FinalQuestions questions = platform.questions();
    awaitNothing(questions, "leases or waiters", now -> now.getLeases() + now.getWaiters() == 0);
    if (options.has("elections")) {
      checkObservers();
    }
    clients.close();
    awaitNothing(questions, "sessions", now -> now.getSessions() == 0);
    leases.checkAll();
    terms.checkAll();
    leaders.checkTerms();
  }

  private void awaitNothing(
      FinalQuestions questions, String what, Predicate<GetPolicyResponse> nothing) {
    long patience =
        platform.options().settings().requestMemoryMiB() == 1 ? FORGOTTEN_WITHIN : SETTLED_WITHIN;
    for (String namespace : List.of(LeaseCaller.NAMESPACE, ElectionCaller.NAMESPACE)) {
      GetPolicyResponse last =
          questions.askUntil(
              LeaseServiceGrpc.getGetPolicyMethod(),
              GetPolicyRequest.newBuilder().setNamespace(namespace).build(),
              patience,
              nothing);
      if (!nothing.test(last)) {
        throw new AssertionError(namespace + " has " + what + " that no client knows: " + last);
      }
    }
  }

  /** Everybody has resigned, and who still listens hears of it. */
  private void checkObservers() {
    List<LeaderObserver> listening =
        observers.stream().filter(LeaderObserver::isListening).toList();
    simulation.runUntil(
        simulation.now() + SETTLED_WITHIN * SECOND,
        () -> listening.stream().map(LeaderObserver::lastEnded).distinct().count() <= 1);
    for (LeaderObserver observer : listening) {
      Optional<Long> ended = observer.lastEnded();
      if (ended.isEmpty() || ended.get() < leaders.lastTerm()) {
        throw new AssertionError(
            "an observer was not told of the end of term "
                + leaders.lastTerm()
                + ": "
                + observer.story());
      }
    }
    observers.forEach(observer -> LeaderChecker.checkOrder(observer.story()));
  }

  @Override
  public String toString() {
    return options.toString();
  }
}
