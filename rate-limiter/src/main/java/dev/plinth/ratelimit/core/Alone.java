package dev.plinth.ratelimit.core;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The budgets of a node that decides alone. They are kept from one failure of the store to the
 * next, and forgotten only when it has not been needed for a while: so a store that comes and goes
 * does not give every node a full budget each time. For as long as they are kept they are shares
 * among the nodes that were seen at first.
 */
final class Alone {
  static final long KEPT = TimeUnit.MINUTES.toNanos(1);

  /** One domain's. */
  private static final class Domain {
    private final Budgets budgets = new Budgets();

    synchronized Outcome apply(Request request, long now) {
      return budgets.apply(List.of(request), now).get(0);
    }
  }

  /** From the first need of them until they are forgotten. */
  private record Outage(int nodes, long beganMicros, long began, Map<String, Domain> domains) {}

  private final Node node;
  private volatile Outage outage;
  private volatile long lastUsed;

  Alone(Node node) {
    this.node = node;
  }

  int nodes() {
    return outage().nodes;
  }

  Outcome apply(String domain, Request request) {
    Outage now = outage();
    long nanos = node.nanos().getAsLong();
    long micros = now.beganMicros + TimeUnit.NANOSECONDS.toMicros(nanos - now.began);
    lastUsed = nanos;
    return now.domains.computeIfAbsent(domain, name -> new Domain()).apply(request, micros);
  }

  private Outage outage() {
    Outage known = outage;
    return known != null ? known : begin();
  }

  private synchronized Outage begin() {
    if (outage == null) {
      long wall = ChronoUnit.MICROS.between(Instant.EPOCH, node.clock().instant());
      lastUsed = node.nanos().getAsLong();
      int nodes = Math.max(1, node.nodes().getAsInt());
      outage = new Outage(nodes, wall, lastUsed, new ConcurrentHashMap<>());
    }
    return outage;
  }

  /** Forgets them, if they were not needed for {@link #KEPT}. */
  void tidy() {
    if (outage != null && node.nanos().getAsLong() - lastUsed >= KEPT) {
      outage = null;
    }
  }

  boolean isInUse() {
    return outage != null;
  }

  /** The budget as this node has it for itself. */
  static Budget safe(RuleBudget budget, int nodes) {
    Budget whole = budget.budget();
    return new Budget(
        whole.key(),
        SafeLimits.of(budget.rule(), nodes),
        whole.version(),
        whole.onChange(),
        whole.shadow(),
        Optional.empty());
  }
}
