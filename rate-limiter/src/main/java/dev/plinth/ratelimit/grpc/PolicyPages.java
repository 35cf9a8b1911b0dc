package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.policy.Policies;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.PolicyApp;
import dev.plinth.ratelimit.v1.ListPoliciesRequest;
import dev.plinth.ratelimit.v1.ListPoliciesResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.StatusMappingInterceptor;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.Route;
import dev.plinth.shards.Shards;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * All policies, shard after shard. A page token begins with the number of the shard it goes on
 * with, by which a call finds the node that has it; a page ends where the next shard is another
 * node's, and where it has grown to what fits in a message.
 */
final class PolicyPages {
  private static final int MOST_TOKEN = 140;
  private static final int USUAL_PAGE = 50;
  private static final int MOST_BYTES = 1 << 20;
  private static final Pattern TOKEN = Pattern.compile("(\\d{1,4})\\.([A-Za-z0-9_.:/-]{0,128})");

  private final Shards shards;
  private final PolicyApp app;

  PolicyPages(Shards shards, PolicyApp app) {
    this.shards = shards;
    this.app = app;
  }

  private record Place(int shard, String after) {
    @Override
    public String toString() {
      return shard + "." + after;
    }
  }

  /** A page that is being made, and how much it may hold. */
  private static final class Page {
    final ListPoliciesResponse.Builder wire = ListPoliciesResponse.newBuilder();
    final int size;
    private int bytes;

    Page(int size) {
      this.size = size;
    }

    int room() {
      return size - wire.getPoliciesCount();
    }

    boolean isFull() {
      return room() == 0 || bytes > MOST_BYTES;
    }

    void add(Policy policy) {
      var made = PolicyWire.policy(policy);
      bytes += made.getSerializedSize();
      wire.addPolicies(made);
    }
  }

  void list(ListPoliciesRequest request, StreamObserver<ListPoliciesResponse> to) {
    int size = FieldChecks.between("page_size", request.getPageSize(), 0, 1000);
    Place from = place(request.getPageToken());
    add(from, new Page(size == 0 ? USUAL_PAGE : size), to);
  }

  private Place place(String token) {
    if (token.isEmpty()) {
      return new Place(0, "");
    }
    Matcher parts = TOKEN.matcher(FieldChecks.name("page_token", token, MOST_TOKEN));
    if (!parts.matches() || Integer.parseInt(parts.group(1)) >= shards.count()) {
      throw Failure.Invalid.field(
          "page_token", '"' + token + '"', "one from a page before, or none");
    }
    return new Place(Integer.parseInt(parts.group(1)), parts.group(2));
  }

  private void add(Place from, Page page, StreamObserver<ListPoliciesResponse> to) {
    int room = page.room();
    shards
        .<Policies, List<Policy>>submit(
            from.shard,
            app,
            CommandPriority.NORMAL,
            (policies, tx, reply) -> reply.send(tx, policies.list(from.after, room)))
        .whenComplete(
            (found, thrown) -> {
              if (thrown != null) {
                to.onError(StatusMappingInterceptor.answering(thrown));
              } else {
                goOn(from, found, page, to);
              }
            });
  }

  private void goOn(
      Place from, List<Policy> found, Page page, StreamObserver<ListPoliciesResponse> to) {
    for (Policy policy : found) {
      page.add(policy);
      if (page.isFull()) {
        page.wire.setNextPageToken(new Place(from.shard, policy.domain()).toString());
        break;
      }
    }
    Place next = new Place(from.shard + 1, "");
    if (!page.isFull() && next.shard < shards.count()) {
      if (shards.routes().of(next.shard).location() == Route.Location.LOCAL) {
        add(next, page, to);
        return;
      }
      page.wire.setNextPageToken(next.toString());
    }
    to.onNext(page.wire.build());
    to.onCompleted();
  }
}
