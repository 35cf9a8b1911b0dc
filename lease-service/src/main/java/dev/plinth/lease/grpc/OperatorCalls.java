package dev.plinth.lease.grpc;

import dev.plinth.lease.core.HoldEnd;
import dev.plinth.lease.core.HoldEndCause;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseNamespaceView;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.core.NamespacePolicy;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.ForceReleaseResponse;
import dev.plinth.lease.v1.GetPolicyRequest;
import dev.plinth.lease.v1.GetPolicyResponse;
import dev.plinth.lease.v1.SetPolicyRequest;
import dev.plinth.lease.v1.SetPolicyResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Command;
import dev.plinth.shards.StateFunction;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The calls of operators: an end to a hold, and what may be. */
final class OperatorCalls {
  private static final Logger log = System.getLogger("plinth.lease");
  private static final int MAX_REASON = 256;
  private static final Duration MAX_GRACE = Duration.ofHours(1);

  private OperatorCalls() {}

  static Command<Leases, ForceReleaseResponse> forceRelease(
      String namespace, ForceReleaseRequest request) {
    LeaseName name = LeaseWire.name(namespace, request.getKey());
    String reason = FieldChecks.name("reason", request.getReason(), MAX_REASON);
    String actor = FieldChecks.optionalName("actor", request.getActor(), LeaseWire.MAX_OWNER);
    Optional<Long> token =
        request.hasToken() ? Optional.of(LeaseWire.token(request.getToken())) : Optional.empty();
    Optional<Duration> grace =
        FieldChecks.optionalDuration(
                "grace", request.hasGrace(), request.getGrace(), Duration.ZERO, MAX_GRACE)
            .filter(time -> !time.isZero());
    HoldEnd how = new HoldEnd(HoldEndCause.FORCED, actor.isEmpty() ? "operator" : actor, reason);
    return (leases, tx, reply) -> {
      if (grace.isEmpty()) {
        leases
            .forcedReleases()
            .release(name, token, how, (ended, last) -> reply.send(last, forced(ended, how)), tx);
      } else {
        leases
            .forcedReleases()
            .releaseAfterNotice(
                name,
                token,
                grace.get(),
                how,
                (asked, last) -> reply.send(last, releaseNotice(asked)),
                tx);
      }
    };
  }

  private static ForceReleaseResponse releaseNotice(List<LeaseView> asked) {
    return ForceReleaseResponse.newBuilder()
        .addAllAsked(LeaseWire.leases(asked, LeaseWire.MAX_FORCED))
        .setAskedTotal(asked.size())
        .build();
  }

  private static ForceReleaseResponse forced(List<LeaseView> ended, HoldEnd how) {
    if (!ended.isEmpty()) {
      // One line, on the shard's thread: the history has all of them.
      log.log(
          Level.WARNING,
          "{0} held by {1}{2} was released by {3}: {4}",
          ended.get(0).name(),
          ended.get(0).ownerId(),
          ended.size() == 1 ? "" : " and " + (ended.size() - 1) + " others",
          how.actor(),
          how.reason());
    }
    return ForceReleaseResponse.newBuilder()
        .addAllReleased(LeaseWire.leases(ended, LeaseWire.MAX_FORCED))
        .setReleasedTotal(ended.size())
        .build();
  }

  static StateFunction<Leases, SetPolicyResponse> setPolicy(
      String namespace, SetPolicyRequest request) {
    if (!request.hasPolicy()) {
      throw Failure.Invalid.field("policy", "none", "a policy, {} for the platform's own bounds");
    }
    NamespacePolicy policy = NamespacePolicyWire.policy(request.getPolicy());
    Optional<Long> expected =
        FieldChecks.expectedVersion(request.hasExpectedVersion(), request.getExpectedVersion());
    return (leases, tx) ->
        SetPolicyResponse.newBuilder()
            .setVersion(leases.setPolicy(namespace, policy, expected, tx))
            .build();
  }

  static StateFunction<Leases, GetPolicyResponse> getPolicy(
      String namespace, GetPolicyRequest request) {
    return (leases, tx) -> {
      LeaseNamespaceView space = leases.policy(namespace);
      return GetPolicyResponse.newBuilder()
          .setPolicy(NamespacePolicyWire.policy(space.namespacePolicy()))
          .setVersion(space.version())
          .setLeases(space.leases())
          .setSessions(space.sessions())
          .setWaiters(space.waiters())
          .setFences(space.fences())
          .setElections(space.elections())
          .build();
    };
  }
}
