package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.policy.Policies;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.PolicyApp;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.v1.DeletePolicyRequest;
import dev.plinth.ratelimit.v1.DeletePolicyResponse;
import dev.plinth.ratelimit.v1.GetPolicyRequest;
import dev.plinth.ratelimit.v1.GetPolicyResponse;
import dev.plinth.ratelimit.v1.ListPoliciesRequest;
import dev.plinth.ratelimit.v1.ListPoliciesResponse;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.PutPolicyResponse;
import dev.plinth.ratelimit.v1.WatchPoliciesRequest;
import dev.plinth.ratelimit.v1.WatchPoliciesResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ResumeToken;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.ShardCalls.Mutation;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;

/** The calls about policies; the owner of the domain's shard answers them. */
final class PolicyCalls {
  private static final Logger log = System.getLogger("plinth.ratelimit");

  private final ShardCalls<Policies> calls;
  private final PolicyPages pages;

  PolicyCalls(Shards shards, PolicyApp app) {
    calls = new ShardCalls<>(shards, app);
    pages = new PolicyPages(shards, app);
  }

  void put(PutPolicyRequest request, StreamObserver<PutPolicyResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    List<Rule> rules = PolicyWire.rules(request.getRulesList());
    Optional<Long> expected = expected(request.hasExpectedVersion(), request.getExpectedVersion());
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(domain, requestId, request, PutPolicyResponse.parser()),
        (policies, tx, reply) -> {
          Policy policy = policies.put(domain, rules, expected, tx);
          tx.afterCommit(
              () ->
                  log.log(
                      Level.INFO,
                      "the policy of {0} is now of version {1}",
                      domain,
                      policy.version()));
          reply.send(
              tx, PutPolicyResponse.newBuilder().setPolicy(PolicyWire.policy(policy)).build());
        },
        to);
  }

  private static Optional<Long> expected(boolean given, long version) {
    return given
        ? Optional.of(RateLimitWire.between("expected_version", version, 0, Long.MAX_VALUE))
        : Optional.empty();
  }

  void get(GetPolicyRequest request, StreamObserver<GetPolicyResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    calls.read(
        domain,
        CommandPriority.NORMAL,
        (policies, tx, reply) ->
            reply.send(
                tx,
                GetPolicyResponse.newBuilder()
                    .setPolicy(PolicyWire.policy(policies.get(domain)))
                    .build()),
        to);
  }

  void list(ListPoliciesRequest request, StreamObserver<ListPoliciesResponse> to) {
    pages.list(request, to);
  }

  void delete(DeletePolicyRequest request, StreamObserver<DeletePolicyResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    Optional<Long> expected = expected(request.hasExpectedVersion(), request.getExpectedVersion());
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(domain, requestId, request, DeletePolicyResponse.parser()),
        (policies, tx, reply) -> {
          boolean deleted = policies.delete(domain, expected, tx);
          if (deleted) {
            tx.afterCommit(() -> log.log(Level.INFO, "the policy of {0} was deleted", domain));
          }
          reply.send(tx, DeletePolicyResponse.newBuilder().setDeleted(deleted).build());
        },
        to);
  }

  void watch(WatchPoliciesRequest request, StreamObserver<WatchPoliciesResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    int shard = calls.shardOf(domain);
    calls.watch(
        shard,
        ResumeToken.after(request.getResumeToken(), shard),
        (policies, nanos) -> policies.find(domain),
        new PolicyWatch(shard, domain, (ServerCallStreamObserver<WatchPoliciesResponse>) to));
  }
}
