package dev.plinth.simulation.workload;

import dev.plinth.lease.v1.GetPolicyRequest;
import dev.plinth.lease.v1.GetPolicyResponse;
import dev.plinth.lease.v1.HistoryRequest;
import dev.plinth.lease.v1.HistoryResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.testkit.lease.LogEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What the servers say once every client has ended. */
final class FinalChecks {
  private static final long SECOND = 1_000_000_000L;
  private static final long SETTLED_WITHIN = 30;
  private static final int PAGE = 1000;

  private final FinalQuestions questions;
  private final Simulation simulation;
  private final Set<String> namespaces = new TreeSet<>();

  FinalChecks(WireClient client, Simulation simulation, SwarmOptions options, KeyedWire keyedWire) {
    this.questions = new FinalQuestions(client, simulation);
    this.simulation = simulation;
    for (int i = 0; i < options.keys(); i++) {
      namespaces.add(keyedWire.namespace("key" + i));
    }
    if (options.has("mixed")) {
      namespaces.add(MixedWire.NAMESPACE);
    }
  }

  /** What clients forgot runs out; nothing else is there, and nobody waits. */
  void awaitNothingHeld(WorkloadLog log) {
    long end = simulation.now() + SETTLED_WITHIN * SECOND;
    for (String namespace : namespaces) {
      GetPolicyResponse now = policy(namespace);
      while (now.getLeases() + now.getSessions() + now.getWaiters() > 0 && simulation.now() < end) {
        simulation.runUntil(simulation.now() + SECOND / 2);
        now = policy(namespace);
      }
      if (now.getLeases() + now.getSessions() + now.getWaiters() > 0) {
        log.violation(
            "%s still has %d leases, %d sessions, %d waiters that no client knows: %s"
                .formatted(
                    namespace,
                    now.getLeases(),
                    now.getSessions(),
                    now.getWaiters(),
                    questions.ask(
                        LeaseServiceGrpc.getListLeasesMethod(),
                        ListLeasesRequest.newBuilder().setNamespace(namespace).build())));
      }
    }
  }

  private GetPolicyResponse policy(String namespace) {
    return questions.ask(
        LeaseServiceGrpc.getGetPolicyMethod(),
        GetPolicyRequest.newBuilder().setNamespace(namespace).build());
  }

  /** The servers' own log of the mixed work. */
  List<LogEvent> history() {
    List<LogEvent> log = new ArrayList<>();
    String page = "";
    do {
      HistoryResponse response =
          questions.ask(
              LeaseServiceGrpc.getHistoryMethod(),
              HistoryRequest.newBuilder()
                  .setNamespace(MixedWire.NAMESPACE)
                  .setPageSize(PAGE)
                  .setPageToken(page)
                  .build());
      response.getEntriesList().forEach(entry -> log.add(MixedWire.event(entry)));
      page = response.getNextPageToken();
    } while (!page.isEmpty());
    return log;
  }
}
