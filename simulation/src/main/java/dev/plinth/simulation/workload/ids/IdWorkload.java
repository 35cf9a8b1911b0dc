package dev.plinth.simulation.workload.ids;

import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.simulation.workload.Patience;
import dev.plinth.simulation.workload.RetriedRequest;
import dev.plinth.simulation.workload.SimulatedPlatform;
import dev.plinth.simulation.workload.WireClient;
import dev.plinth.simulation.workload.Workload;
import dev.plinth.simulation.workload.client.ClientCrowd;
import dev.plinth.simulation.workload.client.ClientLife;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/** Callers that take ids over the API and with real clients while servers fail and clocks jump. */
public final class IdWorkload implements Workload {
  private static final int CALLERS = 2;

  private final SimulatedPlatform platform;
  private final ClientCrowd clients;
  private final IdChecks checks;

  public IdWorkload(SimulatedPlatform platform) {
    this.platform = platform;
    this.checks = new IdChecks((long) IdWireClient.MOST_AT_ONCE * platform.options().clients());
    this.clients =
        new ClientCrowd(platform, Math.max(1, platform.options().clients() / 3), this::startTasks);
  }

  @Override
  public void start() {
    WireClient operator = platform.client("operator");
    define(operator, new ArrayDeque<>(IdNames.definitions().entrySet()));
  }

  /** One namespace after the other; then clients begin. */
  private void define(WireClient operator, Deque<Map.Entry<String, Definition>> left) {
    if (left.isEmpty()) {
      startClients();
      return;
    }
    Map.Entry<String, Definition> next = left.poll();
    PutNamespaceRequest request =
        PutNamespaceRequest.newBuilder()
            .setNamespace(next.getKey())
            .setDefinition(next.getValue())
            .setRequestId(operator.newRequestId())
            .build();
    new RetriedRequest<>(
            operator,
            IdServiceGrpc.getPutNamespaceMethod(),
            request,
            Patience.endless(2000, 50),
            answer -> true,
            RetriedRequest.Ending.of(
                answer -> define(operator, left),
                (failure, none) -> platform.log().violation("PutNamespace ended with " + failure)))
        .start();
  }

  private void startClients() {
    if (platform.log().isOver()) {
      return;
    }
    clients.start();
    for (int i = clients.size(); i < platform.options().clients(); i++) {
      new IdWireClient(platform.client("client" + i), checks).start();
    }
  }

  private void startTasks(ClientLife life) {
    for (int i = 0; i < CALLERS; i++) {
      life.caller("caller" + i, new IdCaller(life, checks, i)::turn);
    }
  }

  @Override
  public void healed() {
    clients.heal();
  }

  @Override
  public boolean isSettled() {
    return platform.log().open() == 0 && clients.haveEnded();
  }

  @Override
  public void check() {
    clients.close();
    checks.check(platform.questions());
  }

  @Override
  public String toString() {
    return clients.toString();
  }
}
