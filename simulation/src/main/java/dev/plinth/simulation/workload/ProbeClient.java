package dev.plinth.simulation.workload;

import dev.plinth.simulation.cluster.Takeovers;
import dev.plinth.testkit.lease.LeaseCall;
import dev.plinth.testkit.lease.LeaseCall.Kind;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Asks one node who holds keys, and no other: one that does not know yet that it was deposed must
 * not answer from what it remembers. After each takeover it asks more often.
 */
final class ProbeClient {
  private static final long HOT_NANOS = 800_000_000L;

  private final WireClient client;
  private final int node;
  private final KeyedSender sender;
  private final SwarmOptions options;
  private long hotUntil;

  ProbeClient(
      WireClient client, int node, KeyedSender sender, SwarmOptions options, Takeovers takeovers) {
    this.client = client;
    this.node = node;
    this.sender = sender;
    this.options = options;
    takeovers.listen(takeover -> hotUntil = client.now() + HOT_NANOS);
  }

  void start() {
    if (client.log().isOver()) {
      return;
    }
    boolean present = client.beginTurn();
    SplittableRandom random = client.turnRandom();
    long pause = client.now() < hotUntil ? random.nextLong(2, 30) : random.nextLong(50, 800);
    if (!present) {
      client.after(pause, this::start);
      return;
    }
    LeaseCall read = LeaseCall.of(Kind.READ, "key" + random.nextInt(options.keys()));
    client.served(node);
    sender.send(
        read,
        new KeyedSender.Manner(
            Duration.ZERO, Patience.endless(random.nextLong(20, 1500), 0).once(), Optional.empty()),
        answer -> client.after(pause, this::start));
  }
}
