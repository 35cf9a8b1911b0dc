package dev.plinth.bench.failover;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.plinth.testkit.Await;
import dev.plinth.testkit.engine.EngineNode;
import dev.plinth.testkit.engine.SharedEngine;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.maintenance.StatusResponse;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Puts to an etcd of three members whose leader is killed, through one member or the next. */
final class EtcdLeaderChange implements AutoCloseable {
  private static final String PUTS = "puts";
  private static final int ATTEMPT_MILLIS = 500;
  private static final int BETWEEN_MILLIS = 10;

  private final List<EngineNode> members;
  private final List<Client> clients;

  EtcdLeaderChange(SharedEngine cluster) {
    members = cluster.nodes();
    clients =
        members.stream()
            .map(member -> Client.builder().target("ip:///" + member.hostPort()).build())
            .toList();
  }

  /** How long a put had to wait. */
  double killLeader() throws Exception {
    int leader = leader();
    Outage outage = new Outage();
    Thread putter = new Thread(() -> put(outage, leader), "puts");
    putter.setDaemon(true);
    putter.start();
    TimeUnit.SECONDS.sleep(1);
    outage.begin();
    members.get(leader).kill();
    Await.until("a put works again", () -> outage.calls() > 0);
    TimeUnit.SECONDS.sleep(1);
    outage.end();
    putter.join();
    outage.check();
    members.get(leader).restart();
    return outage.longestMillis(PUTS);
  }

  private int leader() throws Exception {
    for (int i = 0; i < members.size(); i++) {
      StatusResponse status =
          clients
              .get(i)
              .getMaintenanceClient()
              .statusMember("http://" + members.get(i).hostPort())
              .get(10, TimeUnit.SECONDS);
      if (status.getLeader() == status.getHeader().getMemberId()) {
        return i;
      }
    }
    throw new IllegalStateException("no leader");
  }

  private void put(Outage outage, int first) {
    int member = first;
    try {
      while (!outage.over()) {
        long start = System.nanoTime();
        while (!attempt(member, outage)) {
          member = (member + 1) % members.size();
          TimeUnit.MILLISECONDS.sleep(BETWEEN_MILLIS);
        }
        outage.answered(PUTS, start, System.nanoTime());
        TimeUnit.MILLISECONDS.sleep(BETWEEN_MILLIS);
      }
    } catch (InterruptedException e) {
      outage.violated(new IllegalStateException(e));
    }
  }

  private boolean attempt(int member, Outage outage) throws InterruptedException {
    ByteSequence text = ByteSequence.from("failover", UTF_8);
    try {
      clients.get(member).getKVClient().put(text, text).get(ATTEMPT_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      outage.attemptFailed(e.getClass().getSimpleName());
      return false;
    }
  }

  @Override
  public void close() {
    clients.forEach(Client::close);
  }
}
