package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.BudgetLease.Leased;
import dev.plinth.ratelimit.core.BudgetLease.NotLeasable;
import dev.plinth.ratelimit.core.BudgetLease.Nothing;
import dev.plinth.ratelimit.core.BudgetLease.Rest;
import dev.plinth.ratelimit.core.Decision.Verdict;
import dev.plinth.ratelimit.core.Operation.GiveBack;
import dev.plinth.ratelimit.core.Operation.Settle;
import dev.plinth.ratelimit.core.Operation.Take;
import dev.plinth.ratelimit.core.Operation.Ticket;
import dev.plinth.ratelimit.core.Outcome.Settled;
import dev.plinth.ratelimit.core.Outcome.Taken;
import dev.plinth.ratelimit.core.Request.Once;
import dev.plinth.ratelimit.core.Reservation.Settlement;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Reservations, and leases for others to spend: both are takes that leave a ticket to be settled.
 * The id of a ticket follows from the request id, where there is one, so that a request that is
 * sent again names the same one. It says nothing else: what was granted is in the store, so an id
 * that was made up finds nothing there.
 */
final class Tickets {
  /** How long a lease that is over can still be given back, in microseconds. */
  private static final long GRACE = 1_000_000;

  private final Way way;

  Tickets(Way way) {
    this.way = way;
  }

  CompletionStage<Reservation> reserve(CompiledPolicy policy, Reservation.Wish wish) {
    String id = id("r", wish.once());
    BudgetSet set = policy.match(wish.descriptors());
    if (set.isEmpty()) {
      return CompletableFuture.completedStage(
          new Reservation(id, 0, way.noRule(policy, wish.cost())));
    }
    Ticket ticket = new Ticket(id, wish.ttl());
    Take take =
        new Take(set.charges(wish.cost()), 1, false, wish.maxWait(), 0, Optional.of(ticket));
    return way.take(set, take, wish.once())
        .thenApply(
            took ->
                took.decision().verdict() == Verdict.DENY
                    ? new Reservation("", 0, took.decision())
                    : new Reservation(id, took.delay(), took.decision()));
  }

  CompletionStage<Settlement> settle(
      String domain, String ticket, long actual, Optional<Once> once) {
    return settle(domain, ticket, new Settle(ticket, actual), once);
  }

  private CompletionStage<Settlement> settle(
      String domain, String ticket, Operation operation, Optional<Once> once) {
    return way.send(domain, ticket.hashCode(), new Request(operation, once))
        .thenApply(
            outcome -> {
              Settled settled = (Settled) outcome;
              if (settled.refunded() > 0) {
                way.ledger().denials().given(domain);
              }
              return new Settlement(settled.found(), settled.refunded());
            });
  }

  CompletionStage<BudgetLease> lease(CompiledPolicy policy, BudgetLease.Wish wish) {
    BudgetSet set = policy.match(wish.descriptors());
    LeaseTerms terms = set.terms();
    if (terms == null) {
      wish.earlier().ifPresent(rest -> giveBack(set.domain(), rest, Optional.empty()));
      return CompletableFuture.completedStage(new NotLeasable(policy.version()));
    }
    String id = id("l", wish.once());
    Take take =
        new Take(
            set.charges(0),
            1,
            false,
            0,
            terms.atMost(wish.want()),
            Optional.of(new Ticket(id, terms.ttl() + GRACE)));
    Optional<GiveBack> earlier = wish.earlier().map(rest -> new GiveBack(rest.id(), rest.unused()));
    Request request = new Request(take, wish.once());
    CompletionStage<Outcome> sent =
        earlier.isEmpty()
            ? way.send(set, request)
            : way.send(set, Request.of(earlier.get()), request);
    return sent.handle(
        (outcome, failure) -> {
          if (failure == null) {
            earlier.ifPresent(given -> way.ledger().denials().given(set));
            way.alone().admitted(set, ((Taken) outcome).leased());
            return leased(set, id, (Taken) outcome);
          } else if (Way.isAway(failure)) {
            return new NotLeasable(policy.version());
          }
          throw Way.again(failure);
        });
  }

  /** Nothing to lease: what is there is out, and comes back within a ttl. */
  private static BudgetLease leased(BudgetSet set, String id, Taken taken) {
    return taken.leased() > 0
        ? new Leased(id, taken.leased(), set.terms().ttl(), set.policyVersion())
        : new Nothing(set.terms().ttl(), set.policyVersion());
  }

  CompletionStage<Settlement> giveBack(String domain, Rest rest, Optional<Once> once) {
    return settle(domain, rest.id(), new GiveBack(rest.id(), rest.unused()), once);
  }

  static String id(String kind, Optional<Once> once) {
    UUID id =
        once.map(same -> UUID.nameUUIDFromBytes(same.id().getBytes(StandardCharsets.UTF_8)))
            .orElseGet(UUID::randomUUID);
    return kind + "-" + id;
  }
}
