package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation.Take;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** Single checks, many checks, and checks that are charged all or none. */
final class Checks {
  private final DecisionPipeline pipeline;

  Checks(DecisionPipeline pipeline) {
    this.pipeline = pipeline;
  }

  CompletionStage<Decision> check(CompiledPolicy policy, Check check) {
    return check(policy, policy.match(check.descriptors()), check);
  }

  /** Of Envoy's descriptors, each for itself. */
  CompletionStage<List<Decision>> descriptors(CompiledPolicy policy, List<Check> checks) {
    List<DescriptorMatcher.Matched> matched =
        policy.descriptors(checks.stream().map(Check::descriptors).toList());
    List<CompletableFuture<Decision>> decisions = new ArrayList<>();
    for (int i = 0; i < checks.size(); i++) {
      decisions.add(descriptor(policy, matched.get(i), checks.get(i)).toCompletableFuture());
    }
    return all(decisions);
  }

  private CompletionStage<Decision> descriptor(
      CompiledPolicy policy, DescriptorMatcher.Matched matched, Check check) {
    return matched.unlimited().isPresent()
        ? CompletableFuture.completedStage(
            pipeline.unlimited(policy, check.cost(), matched.unlimited().get()))
        : check(policy, matched.set(), check);
  }

  private CompletionStage<Decision> check(CompiledPolicy policy, BudgetSet set, Check check) {
    if (set.isEmpty()) {
      return CompletableFuture.completedStage(pipeline.noRule(policy, check.cost()));
    }
    if (check.idempotencyKey().isPresent() || check.cost() == 0) {
      // A retry gets the first verdict, which only the store remembers.
      return takeUnmerged(set, check);
    }
    long now = pipeline.now();
    if (check.partial()) {
      Decision denied = pipeline.memory().denied(set, 1, now);
      return denied != null ? CompletableFuture.completedStage(denied) : takeUnmerged(set, check);
    }
    Decision known = pipeline.memory().decide(set, check.cost(), now);
    return known != null
        ? CompletableFuture.completedStage(known)
        : pipeline.check(set, check.cost(), now);
  }

  private CompletionStage<Decision> takeUnmerged(BudgetSet set, Check check) {
    List<Charge> charges = set.charges(check.cost());
    Take take = new Take(charges, 1, check.partial(), 0, 0, Optional.empty());
    return pipeline
        .take(set, take, check.idempotencyKey())
        .thenApply(DecisionPipeline.TakeResult::decision);
  }

  CompletionStage<List<Decision>> each(
      CompiledPolicy policy, List<Check> checks, Optional<IdempotencyKey> key) {
    if (key.isEmpty()) {
      return inAnyOrder(policy, checks);
    }
    // The first has the id as it is, and the others wait for it: one that was used for something
    // else is noticed before anything is charged.
    List<Check> own = new ArrayList<>();
    for (int i = 0; i < checks.size(); i++) {
      String id = i == 0 ? key.get().id() : key.get().id() + "/" + i;
      own.add(checks.get(i).as(new IdempotencyKey(id, key.get().fingerprint())));
    }
    return check(policy, own.get(0))
        .thenCompose(
            first ->
                inAnyOrder(policy, own.subList(1, own.size()))
                    .thenApply(
                        others -> Stream.concat(Stream.of(first), others.stream()).toList()));
  }

  private CompletionStage<List<Decision>> inAnyOrder(CompiledPolicy policy, List<Check> checks) {
    List<CompletableFuture<Decision>> decisions = new ArrayList<>();
    checks.forEach(check -> decisions.add(check(policy, check).toCompletableFuture()));
    return all(decisions);
  }

  private static CompletionStage<List<Decision>> all(List<CompletableFuture<Decision>> decisions) {
    return CompletableFuture.allOf(decisions.toArray(CompletableFuture[]::new))
        .thenApply(done -> decisions.stream().map(CompletableFuture::join).toList());
  }

  CompletionStage<List<Decision>> allOrNothing(
      CompiledPolicy policy, List<Check> checks, Optional<IdempotencyKey> key) {
    AllOrNothingChecks all = new AllOrNothingChecks(policy, checks);
    if (all.set().isEmpty()) {
      List<Decision> allowed = new ArrayList<>();
      checks.forEach(check -> allowed.add(pipeline.noRule(policy, check.cost())));
      return CompletableFuture.completedStage(allowed);
    }
    return pipeline
        .take(all.set(), Take.of(all.charges()), key)
        .thenApply(result -> all.split(result.decision()));
  }
}
