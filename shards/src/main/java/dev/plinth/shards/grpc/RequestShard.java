package dev.plinth.shards.grpc;

import io.grpc.Context;

/**
 * The shard of a request, found once: by the router, which leaves it in the call's context for the
 * handler.
 *
 * @param namespace or domain; empty for a list over all shards
 */
record RequestShard(int shard, String namespace) {
  static final Context.Key<RequestShard> ROUTED = Context.key("plinth-request-shard");
}
