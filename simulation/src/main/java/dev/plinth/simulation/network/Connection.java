package dev.plinth.simulation.network;

import dev.plinth.simulation.kernel.SimulatedProcess;
import io.grpc.Attributes;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A connection from a channel to a server. Its ends learn apart from each other that it broke. */
final class Connection {
  private final SimulatedNetwork network;
  private final SimulatedChannel channel;
  private final SimulatedServer server;
  private final Link toServer;
  private final Link toClient;
  private final Set<SimulatedClientCall<?, ?>> clientCalls = new LinkedHashSet<>();
  private final Set<SimulatedServerCall<?, ?>> serverCalls = new LinkedHashSet<>();
  private Attributes attributes = Attributes.EMPTY;
  private boolean clientBroken;
  private boolean serverBroken;

  Connection(SimulatedNetwork network, SimulatedChannel channel, SimulatedServer server) {
    this.network = network;
    this.channel = channel;
    this.server = server;
    String here = client().name();
    String there = server.process().name();
    toServer = network.link(here, there);
    toClient = network.link(there, here);
  }

  SimulatedProcess client() {
    return channel.process();
  }

  SimulatedServer server() {
    return server;
  }

  Attributes attributes() {
    return attributes;
  }

  void accepted(Attributes given) {
    attributes = given;
  }

  boolean isBetween(String one, String other) {
    String here = client().name();
    String there = server.process().name();
    return here.equals(one) && there.equals(other) || here.equals(other) && there.equals(one);
  }

  void sendToServer(MessageOrder order, Runnable message) {
    if (!clientBroken) {
      toServer.send(client(), server.process(), order, () -> unlessServerBroken(message));
    }
  }

  private void unlessServerBroken(Runnable message) {
    if (!serverBroken) {
      message.run();
    }
  }

  void sendToClient(MessageOrder order, Runnable message) {
    if (!serverBroken) {
      toClient.send(server.process(), client(), order, () -> unlessClientBroken(message));
    }
  }

  private void unlessClientBroken(Runnable message) {
    if (!clientBroken) {
      message.run();
    }
  }

  boolean hasRoom() {
    return clientCalls.size() < server.callsPerConnection();
  }

  void add(SimulatedClientCall<?, ?> call) {
    clientCalls.add(call);
  }

  void remove(SimulatedClientCall<?, ?> call) {
    if (clientCalls.remove(call)) {
      channel.hasRoom();
    }
  }

  void add(SimulatedServerCall<?, ?> call) {
    serverCalls.add(call);
  }

  void remove(SimulatedServerCall<?, ?> call) {
    serverCalls.remove(call);
  }

  boolean hasServerCalls() {
    return !serverCalls.isEmpty();
  }

  void breakClient(long delay) {
    client().after(delay, this::breakClientNow);
  }

  private void breakClientNow() {
    if (clientBroken) {
      return;
    }
    clientBroken = true;
    channel.lost(this);
    for (SimulatedClientCall<?, ?> call : List.copyOf(clientCalls)) {
      call.connectionLost();
    }
    closeIfBoth();
  }

  void breakServer(long delay) {
    server.process().after(delay, this::breakServerNow);
  }

  private void breakServerNow() {
    if (serverBroken) {
      return;
    }
    serverBroken = true;
    for (SimulatedServerCall<?, ?> call : List.copyOf(serverCalls)) {
      call.cancelled();
    }
    server.lost(this);
    closeIfBoth();
  }

  private void closeIfBoth() {
    if (isOver(clientBroken, client()) && isOver(serverBroken, server.process())) {
      network.closed(this);
    }
  }

  private static boolean isOver(boolean broken, SimulatedProcess process) {
    return broken || !process.isAlive();
  }

  /** The client closes it: the server learns of it over the link. */
  void closeByClient() {
    sendToServer(new MessageOrder(), this::breakServerNow);
    breakClientNow();
  }

  /** The server takes no more calls on it. */
  void goAway() {
    sendToClient(new MessageOrder(), () -> channel.lost(this));
  }

  /** The server closes it. */
  void closeByServer() {
    sendToClient(new MessageOrder(), this::breakClientNow);
    breakServerNow();
  }
}
