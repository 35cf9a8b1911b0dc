package dev.plinth.simulation.etcd;

import com.google.protobuf.MessageLite;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.TxnRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * An etcd cluster at the other end of a network that delays, loses and reorders. Clients connect by
 * {@link #connect}; the other methods disturb them. All in one thread, that of the events.
 */
public final class SimulatedEtcd {
  private record HeldRequest(Predicate<MessageLite> which, Consumer<Runnable> held) {}

  private final EtcdModel model;
  private final LongSupplier nanos;
  private final ScheduledExecutorService events;
  private final RandomGenerator random;
  private final Map<String, ClientLink> links = new TreeMap<>();
  private final List<SimulatedEtcdConnection> connections = new ArrayList<>();
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private final Map<String, HeldRequest> toHold = new TreeMap<>();
  private EtcdFaults faults = EtcdFaults.NONE;
  private RequestFates fates;
  private int stalls;
  private int elections;
  private int incarnation;

  /**
   * @param nanos the clock of the events
   * @param events runs what happens at the cluster and on the network, by that clock
   */
  public SimulatedEtcd(
      EtcdModel model,
      LongSupplier nanos,
      ScheduledExecutorService events,
      RandomGenerator random) {
    this.model = model;
    this.nanos = nanos;
    this.events = events;
    this.random = random;
    this.fates = (client, request) -> faults.draw(random);
  }

  /**
   * A connection of a client. One client may have several; faults of its link concern all of them.
   *
   * @param clientEvents runs what happens at the client: its deadlines and what answers bring
   * @param timeout how long each call waits for its answer
   */
  public SimulatedEtcdConnection connect(
      String client, ScheduledExecutorService clientEvents, Duration timeout) {
    SimulatedEtcdConnection connection =
        new SimulatedEtcdConnection(this, client, clientEvents, timeout);
    connections.add(connection);
    return connection;
  }

  /** For checkers: what is asked here is answered at once. */
  public EtcdModel model() {
    return model;
  }

  /** From the next request on. */
  public void setFaults(EtcdFaults next) {
    faults = next;
  }

  /** Decides fates by hand, instead of by the shares in the faults. */
  public void setFates(RequestFates next) {
    fates = next;
  }

  public void setLink(String client, EtcdLinkState next) {
    link(client).set(next);
    if (next == EtcdLinkState.REFUSED) {
      connections.stream()
          .filter(connection -> connection.name().equals(client))
          .forEach(connection -> connection.failAll("connection reset by peer"));
    }
  }

  /**
   * The next request of a client that is like this stays on the network. Later ones overtake it.
   *
   * @param held hears of it, with what lets it arrive
   */
  public void holdNext(String client, Predicate<MessageLite> which, Consumer<Runnable> held) {
    toHold.put(client, new HeldRequest(which, held));
  }

  /** Opens the ways of all clients. */
  public void heal() {
    List.copyOf(links.values()).forEach(link -> link.set(EtcdLinkState.OPEN));
  }

  /** The cluster hangs: what arrives waits. Its clock goes on, so leases expire meanwhile. */
  public void stall(Duration time) {
    stalls++;
    after(
        time.toNanos(),
        () -> {
          stalls--;
          serveWaiting();
        });
  }

  /**
   * For so long there is no leader: only serializable reads are answered, no lease expires. Of the
   * requests that wait meanwhile some are lost, and some applied without anyone knowing.
   */
  public void changeLeader(Duration election) {
    elections++;
    model.loseLeader();
    after(
        election.toNanos(),
        () -> {
          elections--;
          if (elections == 0) {
            model.electLeader();
          }
          serveWaiting();
        });
  }

  /** Raises the alarm that ends all puts, or disarms it. */
  public void setNoSpace(boolean raised) {
    model.setNoSpace(raised);
  }

  public EtcdSnapshot snapshot() {
    return model.snapshot();
  }

  /** Puts the cluster back to a backup. Connections break; what was under way is never applied. */
  public void restore(EtcdSnapshot snapshot) {
    breakConnections();
    model.restore(snapshot);
  }

  /** All members start again, on their data. */
  public void restart() {
    restore(snapshot());
  }

  private void breakConnections() {
    incarnation++;
    waiting.clear();
    links.values().forEach(ClientLink::forget);
    connections.forEach(connection -> connection.failAll("connection reset by peer"));
  }

  RandomGenerator random() {
    return random;
  }

  EtcdFaults faults() {
    return faults;
  }

  long now() {
    return nanos.getAsLong();
  }

  RequestFate fate(String client, MessageLite request) {
    return fates.decide(client, request);
  }

  ClientLink link(String client) {
    return links.computeIfAbsent(client, name -> new ClientLink(random));
  }

  void closed(SimulatedEtcdConnection connection) {
    connections.remove(connection);
  }

  void after(long delayNanos, Runnable event) {
    events.schedule(event, delayNanos, TimeUnit.NANOSECONDS);
  }

  /** Hands a request to the cluster after so long. */
  void arrive(long delayNanos, SimulatedEtcdConnection from, EtcdCall<?> call) {
    int sentTo = incarnation;
    after(
        delayNanos,
        () -> {
          if (sentTo == incarnation) {
            link(from.name()).request(() -> holdOrReceive(from, call));
          }
        });
  }

  private void holdOrReceive(SimulatedEtcdConnection from, EtcdCall<?> call) {
    HeldRequest wanted = toHold.get(from.name());
    if (wanted == null || !wanted.which().test(call.request())) {
      receive(from, call);
      return;
    }
    toHold.remove(from.name());
    int sentTo = incarnation;
    wanted
        .held()
        .accept(
            () -> {
              if (sentTo == incarnation) {
                receive(from, call);
              }
            });
  }

  private void receive(SimulatedEtcdConnection from, EtcdCall<?> call) {
    boolean waits = elections > 0 && !isServedWithoutLeader(call.request());
    if (waits) {
      call.seeElection();
    }
    if (waits || stalls > 0) {
      waiting.add(() -> receive(from, call));
    } else {
      serve(from, call);
    }
  }

  private void serveWaiting() {
    if (stalls == 0 && elections == 0) {
      List<Runnable> all = List.copyOf(waiting);
      waiting.clear();
      all.forEach(Runnable::run);
    }
  }

  private void serve(SimulatedEtcdConnection from, EtcdCall<?> call) {
    boolean unsure = call.sawElection() && random.nextBoolean();
    boolean applied = !unsure || random.nextBoolean();
    Runnable answer = applied ? call.apply() : () -> {};
    if (unsure) {
      answer = call.failing(EtcdErrors.unavailable(EtcdErrors.TIMED_OUT));
    }
    if (call.fate() != RequestFate.ANSWER_LOST) {
      Runnable told = answer;
      int sentBy = incarnation;
      after(
          faults.delayNanos(random),
          () -> {
            if (sentBy == incarnation) {
              link(from.name()).answer(() -> from.atClient(told));
            }
          });
    }
  }

  private static boolean isServedWithoutLeader(MessageLite request) {
    if (request instanceof TxnRequest txn) {
      return RequestCheck.isSerializable(txn);
    }
    return request instanceof StatusRequest
        || request instanceof RangeRequest range && range.getSerializable();
  }
}
