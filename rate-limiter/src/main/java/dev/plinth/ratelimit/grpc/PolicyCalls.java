package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.policy.Policies;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.v1.DeletePolicyRequest;
import dev.plinth.ratelimit.v1.DeletePolicyResponse;
import dev.plinth.ratelimit.v1.GetPolicyRequest;
import dev.plinth.ratelimit.v1.GetPolicyResponse;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.PutPolicyResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.Command;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;

/** Commands that change policies and read them. */
final class PolicyCalls {
  private static final Logger log = System.getLogger("plinth.ratelimit");

  private PolicyCalls() {}

  static Command<Policies, PutPolicyResponse> put(String domain, PutPolicyRequest request) {
    List<Rule> rules = PolicyWire.rules(request.getRulesList());
    Optional<Long> expected =
        FieldChecks.expectedVersion(request.hasExpectedVersion(), request.getExpectedVersion());
    return (policies, tx, reply) -> {
      Policy policy = policies.put(domain, rules, expected, tx);
      tx.afterCommit(
          () ->
              log.log(
                  Level.INFO, "the policy of {0} is now of version {1}", domain, policy.version()));
      reply.send(tx, PutPolicyResponse.newBuilder().setPolicy(PolicyWire.policy(policy)).build());
    };
  }

  static Command<Policies, GetPolicyResponse> get(String domain, GetPolicyRequest request) {
    return (policies, tx, reply) ->
        reply.send(
            tx,
            GetPolicyResponse.newBuilder()
                .setPolicy(PolicyWire.policy(policies.get(domain)))
                .build());
  }

  static Command<Policies, DeletePolicyResponse> delete(
      String domain, DeletePolicyRequest request) {
    Optional<Long> expected =
        FieldChecks.expectedVersion(request.hasExpectedVersion(), request.getExpectedVersion());
    return (policies, tx, reply) -> {
      boolean deleted = policies.delete(domain, expected, tx);
      if (deleted) {
        tx.afterCommit(() -> log.log(Level.INFO, "the policy of {0} was deleted", domain));
      }
      reply.send(tx, DeletePolicyResponse.newBuilder().setDeleted(deleted).build());
    };
  }
}
