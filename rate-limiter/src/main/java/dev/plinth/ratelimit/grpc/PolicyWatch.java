package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.PolicyChange;
import dev.plinth.ratelimit.v1.PolicyGap;
import dev.plinth.ratelimit.v1.PolicyProgress;
import dev.plinth.ratelimit.v1.PolicySnapshot;
import dev.plinth.ratelimit.v1.WatchPoliciesResponse;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Event;
import dev.plinth.shards.Watcher;
import dev.plinth.shards.grpc.ResumeToken;
import dev.plinth.shards.grpc.WatchStream;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.List;
import java.util.Optional;

/** One watch call: what happens to one domain's policy, as messages. */
final class PolicyWatch implements Watcher {
  private final int shard;
  private final String domain;
  private final WatchStream<WatchPoliciesResponse> to;

  PolicyWatch(int shard, String domain, ServerCallStreamObserver<WatchPoliciesResponse> to) {
    this.shard = shard;
    this.domain = domain;
    this.to = new WatchStream<>(to);
  }

  @Override
  public boolean snapshot(long revision, Object content) {
    PolicySnapshot.Builder snapshot = PolicySnapshot.newBuilder();
    ((Optional<?>) content)
        .ifPresent(policy -> snapshot.setPolicy(PolicyWire.policy((Policy) policy)));
    return send(revision, WatchPoliciesResponse.newBuilder().setSnapshot(snapshot));
  }

  @Override
  public boolean events(long revision, List<Event> events) {
    for (Event event : events) {
      if (event.body() instanceof PolicyChange change && change.domain().equals(domain)) {
        dev.plinth.ratelimit.v1.PolicyChange.Builder wire =
            dev.plinth.ratelimit.v1.PolicyChange.newBuilder();
        change.policy().ifPresent(policy -> wire.setPolicy(PolicyWire.policy(policy)));
        if (!send(revision, WatchPoliciesResponse.newBuilder().setChange(wire))) {
          return false;
        }
      }
    }
    return true;
  }

  @Override
  public boolean progress(long revision) {
    return send(
        revision,
        WatchPoliciesResponse.newBuilder().setProgress(PolicyProgress.getDefaultInstance()));
  }

  @Override
  public boolean gap(long oldestRevision) {
    // Without a resume token: whoever went on from here would never see the snapshot.
    return to.send(
        WatchPoliciesResponse.newBuilder().setGap(PolicyGap.getDefaultInstance()).build());
  }

  @Override
  public boolean isGone() {
    return to.isGone();
  }

  @Override
  public void end(Failure why) {
    to.end(why);
  }

  private boolean send(long revision, WatchPoliciesResponse.Builder message) {
    return to.send(message.setResumeToken(new ResumeToken(shard, revision).text()).build());
  }
}
