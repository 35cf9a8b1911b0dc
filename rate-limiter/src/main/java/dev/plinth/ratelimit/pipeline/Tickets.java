package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.pipeline.LeaseBudgetResult.Denied;
import dev.plinth.ratelimit.pipeline.LeaseBudgetResult.Leased;
import dev.plinth.ratelimit.pipeline.LeaseBudgetResult.NotLeasable;
import dev.plinth.ratelimit.pipeline.LeaseBudgetResult.UnusedBudget;
import dev.plinth.ratelimit.pipeline.ReserveResult.Settlement;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Operation.ReturnUnused;
import dev.plinth.ratelimit.store.Operation.Settle;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Operation.Ticket;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.Outcome.Settled;
import dev.plinth.ratelimit.store.Outcome.Taken;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;

/**
 * Reservations, and leases for others to spend: both are takes that leave a ticket to be settled.
 * The id of a ticket follows from the request id, where there is one, so that a request that is
 * sent again names the same one. It says nothing else: what was granted is in the store, so an id
 * that was made up finds nothing there.
 */
final class Tickets {
  /** How long an expired lease can still be returned, in microseconds. */
  private static final long GRACE = 1_000_000;

  private final DecisionPipeline pipeline;

  Tickets(DecisionPipeline pipeline) {
    this.pipeline = pipeline;
  }

  CompletionStage<ReserveResult> reserve(CompiledPolicy policy, ReserveResult.ReserveSpec spec) {
    String id = pipeline.newId("r", spec.idempotencyKey());
    BudgetSet set = policy.match(spec.descriptors());
    if (set.isEmpty()) {
      return CompletableFuture.completedStage(
          new ReserveResult(id, 0, pipeline.noRule(policy, spec.cost())));
    }
    Ticket ticket = new Ticket(id, spec.ttl());
    Take take =
        new Take(set.charges(spec.cost()), 1, false, spec.maxWait(), 0, Optional.of(ticket));
    return pipeline
        .take(set, take, spec.idempotencyKey())
        .thenApply(
            result ->
                result.decision().verdict() == Verdict.DENY
                    ? new ReserveResult("", 0, result.decision())
                    : new ReserveResult(id, result.delay(), result.decision()));
  }

  CompletionStage<Settlement> settle(
      String domain, String ticket, long actual, Optional<IdempotencyKey> key) {
    return settle(domain, ticket, new Settle(ticket, actual), key);
  }

  private CompletionStage<Settlement> settle(
      String domain, String ticket, Operation operation, Optional<IdempotencyKey> key) {
    return pipeline
        .send(domain, ticket.hashCode(), new BudgetRequest(operation, key))
        .thenApply(
            outcome -> {
              Settled settled = (Settled) outcome;
              if (settled.refunded() > 0) {
                pipeline.recorder.denials.budgetReturned(domain);
              }
              return new Settlement(settled.found(), settled.refunded());
            });
  }

  CompletionStage<LeaseBudgetResult> lease(
      CompiledPolicy policy, LeaseBudgetResult.LeaseBudgetSpec spec) {
    BudgetSet set = policy.match(spec.descriptors());
    LeaseTerms terms = set.terms();
    if (terms == null) {
      spec.earlier().ifPresent(unused -> returnUnused(set.domain(), unused, Optional.empty()));
      return CompletableFuture.completedStage(new NotLeasable(policy.version()));
    }
    String id = pipeline.newId("l", spec.idempotencyKey());
    Take take =
        new Take(
            set.charges(0),
            1,
            false,
            0,
            terms.atMost(spec.requested()),
            Optional.of(new Ticket(id, terms.ttl() + GRACE)));
    Optional<ReturnUnused> earlier =
        spec.earlier().map(unused -> new ReturnUnused(unused.id(), unused.unused()));
    BudgetRequest request = new BudgetRequest(take, spec.idempotencyKey());
    CompletionStage<Outcome> answer =
        earlier.isEmpty()
            ? pipeline.send(set, request)
            : pipeline.send(set, BudgetRequest.of(earlier.get()), request);
    return answer.handle(
        (outcome, failure) -> {
          if (failure == null) {
            earlier.ifPresent(given -> pipeline.recorder.denials.budgetReturned(set));
            pipeline.localBudgets.admitted(set, ((Taken) outcome).leased());
            return leased(set, id, (Taken) outcome);
          } else if (DecisionPipeline.isStoreUnavailable(failure)) {
            return new NotLeasable(policy.version());
          }
          throw DecisionPipeline.rethrown(failure);
        });
  }

  /** Nothing to lease: what is there is out, and comes back within a ttl. */
  private static LeaseBudgetResult leased(BudgetSet set, String id, Taken taken) {
    return taken.leased() > 0
        ? new Leased(id, taken.leased(), set.terms().ttl(), set.policyVersion())
        : new Denied(set.terms().ttl(), set.policyVersion());
  }

  CompletionStage<Settlement> returnUnused(
      String domain, UnusedBudget unused, Optional<IdempotencyKey> key) {
    return settle(domain, unused.id(), new ReturnUnused(unused.id(), unused.unused()), key);
  }

  static String id(String kind, Optional<IdempotencyKey> key, RandomGenerator random) {
    UUID id =
        key.map(given -> UUID.nameUUIDFromBytes(given.id().getBytes(StandardCharsets.UTF_8)))
            .orElseGet(() -> newUuid(random));
    return kind + "-" + id;
  }

  /** As the JDK makes them, which it does by a generator of its own. */
  static UUID newUuid(RandomGenerator random) {
    byte[] bytes = new byte[16];
    random.nextBytes(bytes);
    ByteBuffer bits = ByteBuffer.wrap(bytes);
    long version = bits.getLong() & ~0xf000L | 0x4000L;
    long variant = bits.getLong() & (-1L >>> 2) | Long.MIN_VALUE;
    return new UUID(version, variant);
  }
}
