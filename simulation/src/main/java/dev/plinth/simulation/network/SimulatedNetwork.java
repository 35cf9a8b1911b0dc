package dev.plinth.simulation.network;

import dev.plinth.simulation.kernel.SimulatedMachine;
import dev.plinth.simulation.kernel.SimulatedProcess;
import dev.plinth.simulation.kernel.Simulation;
import io.grpc.ManagedChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Servers, channels and the links between their computers. A computer is known by the name of its
 * process, which stays the same over the lives of it.
 */
public final class SimulatedNetwork {
  private static final long QUICK_NANOS = 50_000_000L;
  private static final long SILENT_LEAST_NANOS = 5_000_000_000L;
  private static final long SILENT_MOST_NANOS = 60_000_000_000L;

  private final Simulation simulation;
  private final SplittableRandom random;
  private final Map<String, Link> links = new LinkedHashMap<>();
  private final Map<String, SimulatedServer> servers = new LinkedHashMap<>();
  private final List<Connection> connections = new ArrayList<>();
  private boolean faulty = true;

  public SimulatedNetwork(Simulation simulation) {
    this.simulation = simulation;
    this.random = simulation.random("network");
  }

  Simulation simulation() {
    return simulation;
  }

  /** A server's builder; it listens at an address from its start on. */
  public SimulatedServerBuilder serverBuilder(
      SimulatedMachine machine, String address, int callsPerConnection) {
    return new SimulatedServerBuilder(this, machine, address, callsPerConnection);
  }

  public ManagedChannel channel(SimulatedMachine machine, String address) {
    return new SimulatedChannel(this, machine, address);
  }

  void listen(SimulatedServer server) {
    servers.put(server.address(), server);
  }

  void stopListening(SimulatedServer server) {
    servers.remove(server.address(), server);
  }

  Optional<SimulatedServer> serverAt(String address) {
    return Optional.ofNullable(servers.get(address)).filter(each -> each.process().isAlive());
  }

  /** The computer that an address is at: what is before the colon. */
  static String computer(String address) {
    int colon = address.indexOf(':');
    return colon < 0 ? address : address.substring(0, colon);
  }

  Link link(String from, String to) {
    return links.computeIfAbsent(
        from + ">" + to, name -> new Link(simulation.random("link " + name)));
  }

  void opened(Connection connection) {
    connections.add(connection);
  }

  void closed(Connection connection) {
    connections.remove(connection);
  }

  /** One message that is no part of a gRPC call. */
  public void message(
      SimulatedProcess from,
      String fromName,
      String toName,
      SimulatedProcess to,
      Runnable message) {
    link(fromName, toName).send(from, to, new MessageOrder(), message);
  }

  /** Nothing arrives any more, in one direction. */
  public void cut(String from, String to) {
    simulation.trace("network", "cut " + from + " > " + to);
    link(from, to).cut();
  }

  /** What was held back arrives late, or the connections turn out to be broken. */
  public void heal(String from, String to) {
    Link link = link(from, to);
    if (!link.isCut()) {
      return;
    }
    boolean broken = random.nextInt(3) == 0;
    simulation.trace("network", (broken ? "heal by reset " : "heal ") + from + " > " + to);
    if (broken) {
      link.forget();
      reset(from, to);
    }
    link.heal();
  }

  public void delay(String from, String to, long nanos) {
    simulation.trace("network", "delay " + from + " > " + to + " " + nanos / 1000 + " us");
    link(from, to).delay(nanos);
  }

  /** Every connection between two computers breaks; each end learns of it at its own time. */
  public void reset(String one, String other) {
    simulation.trace("network", "reset " + one + " - " + other);
    for (Connection connection : List.copyOf(connections)) {
      if (connection.isBetween(one, other)) {
        connection.breakClient(random.nextLong(QUICK_NANOS));
        connection.breakServer(random.nextLong(QUICK_NANOS));
      }
    }
  }

  /** A process died: the other ends of its connections learn of it soon, or by silence. */
  public void died(SimulatedProcess process) {
    for (Connection connection : List.copyOf(connections)) {
      if (connection.client() == process) {
        connection.breakServer(untilNoticed());
      } else if (connection.server().process() == process) {
        connection.breakClient(untilNoticed());
      }
    }
    servers.values().removeIf(server -> server.process() == process);
  }

  private long untilNoticed() {
    return faulty && random.nextInt(4) == 0
        ? random.nextLong(SILENT_LEAST_NANOS, SILENT_MOST_NANOS)
        : random.nextLong(QUICK_NANOS);
  }

  /** From now on everything arrives, and soon. */
  public void heal() {
    faulty = false;
    for (Map.Entry<String, Link> link : links.entrySet()) {
      String[] ends = link.getKey().split(">");
      heal(ends[0], ends[1]);
      link.getValue().delay(500_000);
    }
  }
}
