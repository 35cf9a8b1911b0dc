package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Operation.Take;
import dev.plinth.ratelimit.core.Request.Once;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** Checks, alone and together. */
final class Checks {
  private final Way way;

  Checks(Way way) {
    this.way = way;
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
    return together(decisions);
  }

  private CompletionStage<Decision> descriptor(
      CompiledPolicy policy, DescriptorMatcher.Matched matched, Check check) {
    return matched.unlimited().isPresent()
        ? CompletableFuture.completedStage(
            way.unlimited(policy, check.cost(), matched.unlimited().get()))
        : check(policy, matched.set(), check);
  }

  private CompletionStage<Decision> check(CompiledPolicy policy, BudgetSet set, Check check) {
    if (set.isEmpty()) {
      return CompletableFuture.completedStage(way.noRule(policy, check.cost()));
    }
    if (check.once().isPresent() || check.cost() == 0) {
      // One that is sent again gets its first verdict, which only the store remembers.
      return alone(set, check);
    }
    long now = way.now();
    if (check.partial()) {
      Decision denied = way.memory().denied(set, 1, now);
      return denied != null ? CompletableFuture.completedStage(denied) : alone(set, check);
    }
    Decision known = way.memory().decide(set, check.cost(), now);
    return known != null
        ? CompletableFuture.completedStage(known)
        : way.ask(set, check.cost(), now);
  }

  private CompletionStage<Decision> alone(BudgetSet set, Check check) {
    List<Charge> charges = set.charges(check.cost());
    Take take = new Take(charges, 1, check.partial(), 0, 0, Optional.empty());
    return way.take(set, take, check.once()).thenApply(Way.Took::decision);
  }

  CompletionStage<List<Decision>> each(
      CompiledPolicy policy, List<Check> checks, Optional<Once> once) {
    if (once.isEmpty()) {
      return inAnyOrder(policy, checks);
    }
    // The first has the id as it is, and the others wait for it: one that was used for something
    // else is noticed before anything is charged.
    List<Check> own = new ArrayList<>();
    for (int i = 0; i < checks.size(); i++) {
      String id = i == 0 ? once.get().id() : once.get().id() + "/" + i;
      own.add(checks.get(i).as(new Once(id, once.get().fingerprint())));
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
    return together(decisions);
  }

  private static CompletionStage<List<Decision>> together(
      List<CompletableFuture<Decision>> decisions) {
    return CompletableFuture.allOf(decisions.toArray(CompletableFuture[]::new))
        .thenApply(all -> decisions.stream().map(CompletableFuture::join).toList());
  }

  CompletionStage<List<Decision>> allOrNothing(
      CompiledPolicy policy, List<Check> checks, Optional<Once> once) {
    Together together = new Together(policy, checks);
    if (together.set().isEmpty()) {
      List<Decision> allowed = new ArrayList<>();
      checks.forEach(check -> allowed.add(way.noRule(policy, check.cost())));
      return CompletableFuture.completedStage(allowed);
    }
    return way.take(together.set(), Take.of(together.charges()), once)
        .thenApply(took -> together.split(took.decision()));
  }
}
