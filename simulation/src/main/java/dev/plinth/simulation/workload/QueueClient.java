package dev.plinth.simulation.workload;

import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.ListWaitersRequest;
import dev.plinth.lease.v1.ListWaitersResponse;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.Waiter;
import dev.plinth.simulation.cluster.Takeovers;
import dev.plinth.testkit.History.Operation;
import dev.plinth.testkit.lease.LogAnswer;
import dev.plinth.testkit.lease.LogCall;
import dev.plinth.testkit.lease.LogEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Asks who waits for keys of the mixed work. Of two that want a key for themselves, the one that
 * stands behind the other must not be granted first, unless the other's call broke off or the queue
 * was lost with its node.
 */
final class QueueClient {
  private record Seen(long asked, List<String> owners) {}

  private static final int KEYS = 4;

  private final WireClient client;
  private final Takeovers takeovers;
  private final List<Seen> seen = new ArrayList<>();

  QueueClient(WireClient client, Takeovers takeovers) {
    this.client = client;
    this.takeovers = takeovers;
  }

  void start() {
    if (client.log().isOver()) {
      return;
    }
    if (!client.beginTurn()) {
      again();
      return;
    }
    client.log().count("operations");
    long asked = client.now();
    new RetriedRequest<>(
            client,
            LeaseServiceGrpc.getListWaitersMethod(),
            ListWaitersRequest.newBuilder()
                .setNamespace(MixedWire.NAMESPACE)
                .setKey("key" + client.turnRandom().nextInt(KEYS))
                .build(),
            Patience.endless(1000, 20),
            answer -> false,
            new RetriedRequest.Ending<ListWaitersResponse>() {
              @Override
              public void answered(ListWaitersResponse answer) {
                List<String> owners =
                    answer.getWaitersList().stream()
                        .filter(waiter -> waiter.getMode() == Mode.MODE_EXCLUSIVE)
                        .map(Waiter::getOwnerId)
                        .toList();
                if (owners.size() > 1) {
                  client.log().count("queues seen");
                  seen.add(new Seen(asked, owners));
                }
                again();
              }

              @Override
              public void failed(CallFailure failure, boolean none) {
                again();
              }
            })
        .start();
  }

  private void again() {
    client.after(client.random().nextInt(1, 150), this::start);
  }

  /**
   * @param sentOnce owners whose calls were answered at their first attempt: they kept their place
   */
  void check(
      List<Operation<LogCall, LogAnswer>> history, List<LogEvent> log, Set<String> sentOnce) {
    Map<String, Integer> grants = new HashMap<>();
    for (int i = 0; i < log.size(); i++) {
      if (log.get(i).type() == LogEvent.Type.GRANTED) {
        grants.putIfAbsent(log.get(i).owner(), i);
      }
    }
    Map<String, Long> returned = new HashMap<>();
    history.stream()
        .filter(call -> call.output().filter(LogAnswer::done).isPresent())
        .forEach(call -> returned.put(call.input().owner(), call.returned()));
    seen.forEach(queue -> check(queue, grants, returned, sentOnce));
  }

  private void check(
      Seen queue, Map<String, Integer> grants, Map<String, Long> returned, Set<String> sentOnce) {
    List<String> owners =
        queue.owners.stream()
            .filter(owner -> grants.containsKey(owner) && returned.containsKey(owner))
            .toList();
    for (int i = 0; i < owners.size(); i++) {
      String first = owners.get(i);
      if (!sentOnce.contains(first) || takeovers.isAnyWithin(queue.asked, returned.get(first))) {
        continue;
      }
      for (String behind : owners.subList(i + 1, owners.size())) {
        if (grants.get(behind) < grants.get(first)) {
          throw new AssertionError(
              behind + " was granted before " + first + ", which stood before it in " + queue);
        }
      }
    }
  }
}
