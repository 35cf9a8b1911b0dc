package dev.plinth.bench.limits;

import com.google.protobuf.util.Durations;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.DecidedBy;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.Descriptor;
import dev.plinth.ratelimit.v1.FailMode;
import dev.plinth.ratelimit.v1.LeaseRule;
import dev.plinth.ratelimit.v1.Match;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc.RateLimitServiceBlockingStub;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.ratelimit.v1.Verdict;
import java.util.Set;

/** Our service over gRPC, one call a decision: Redis decides, or what the server leases of it. */
final class PlinthChecks implements Contestant {
  static final String DESCRIPTOR = "key";

  private static final Set<DecidedBy> EXACT =
      Set.of(DecidedBy.DECIDED_BY_STORE, DecidedBy.DECIDED_BY_DENY_CACHE);
  private static final Set<DecidedBy> LEASED =
      Set.of(
          DecidedBy.DECIDED_BY_STORE, DecidedBy.DECIDED_BY_DENY_CACHE, DecidedBy.DECIDED_BY_LEASE);

  private final Case what;
  private final Rule.Builder rule;
  private final Set<DecidedBy> deciders;
  private final RateLimitServiceBlockingStub service;
  private final PerKey<CheckRequest> requests;

  PlinthChecks(Clients clients, Case what) {
    this(clients, what, rule(what.limit()), EXACT);
  }

  private PlinthChecks(Clients clients, Case what, Rule.Builder rule, Set<DecidedBy> deciders) {
    this.what = what;
    this.rule = rule;
    this.deciders = deciders;
    service = RateLimitServiceGrpc.newBlockingStub(clients.channel());
    requests = new PerKey<>(what.keys().count(), this::request);
  }

  /** The server leases a tenth of the burst for itself, of keys that are asked for often. */
  static PlinthChecks leasing(Clients clients, Case what) {
    LeaseRule often = LeaseRule.newBuilder().setHoldersHint(1).build();
    return new PlinthChecks(clients, what, rule(what.limit()).setLease(often), LEASED);
  }

  private CheckRequest request(int key) {
    return CheckRequest.newBuilder()
        .setDomain(what.run())
        .addDescriptors(Descriptor.newBuilder().setKey(DESCRIPTOR).setValue(what.name(key)))
        .setMinPolicyVersion(1)
        .build();
  }

  @Override
  public void define() {
    define(service, what, rule);
  }

  /** A domain for each run. */
  static void define(RateLimitServiceBlockingStub service, Case what, Rule.Builder rule) {
    service.putPolicy(PutPolicyRequest.newBuilder().setDomain(what.run()).addRules(rule).build());
  }

  private static Rule.Builder rule(Limit limit) {
    return Rule.newBuilder()
        .setName("each")
        .addMatch(Match.newBuilder().setKey(DESCRIPTOR))
        .setAlgorithm(Algorithm.ALGORITHM_TOKEN_BUCKET)
        .setLimit(limit.burst())
        .setPeriod(Durations.fromNanos(limit.period().toNanos()))
        .setFailMode(FailMode.FAIL_MODE_CLOSED);
  }

  /** Only clients lease, of a tenth of the burst. */
  static Rule.Builder leasedRule(Limit limit, int holders) {
    return rule(limit)
        .setLease(LeaseRule.newBuilder().setHoldersHint(holders).setServerAbovePerSecond(-1));
  }

  @Override
  public boolean tryAcquire(int key) {
    Decision decision = service.check(requests.get(key)).getDecision();
    if (!deciders.contains(decision.getDecidedBy())) {
      throw new IllegalStateException("not decided by the store: " + decision);
    }
    return decision.getVerdict() == Verdict.VERDICT_ALLOW;
  }
}
