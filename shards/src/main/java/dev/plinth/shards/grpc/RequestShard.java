package dev.plinth.shards.grpc;

import com.google.protobuf.Message;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.shards.Shards;
import io.grpc.Context;

/**
 * The shard of a request, found once: by the router, which leaves it in the call's context for the
 * handler.
 *
 * @param namespace or domain; empty for a list over all shards
 */
record RequestShard(int shard, String namespace) {
  static final Context.Key<RequestShard> ROUTED = Context.key("plinth-request-shard");

  /** As the router has found it; found here for a call that was not routed. */
  static RequestShard of(CallDeclaration declaration, Message request, Shards shards) {
    RequestShard routed = ROUTED.get();
    if (routed != null) {
      return routed;
    }
    String namespace = declaration.namespace(request);
    return new RequestShard(shards.shardOf(namespace), namespace);
  }

  /** As the router has found it; checked here for a call that was not routed. */
  static String namespace(CallDeclaration declaration, Message request) {
    RequestShard routed = ROUTED.get();
    return routed == null ? declaration.namespace(request) : routed.namespace();
  }
}
