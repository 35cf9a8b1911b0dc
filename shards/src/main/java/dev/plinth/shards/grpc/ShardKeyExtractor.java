package dev.plinth.shards.grpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.plinth.options.v1.CallOptions.ShardCase;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Shards;
import java.util.Optional;

/**
 * Finds the shard of a request by what its method declares: the namespace or domain, or the shard
 * that a page token begins with.
 */
record ShardKeyExtractor(CallDeclaration declaration, FieldDescriptor field) {
  /** Empty for a method that is answered by the node that it reaches. */
  static Optional<ShardKeyExtractor> of(CallDeclaration declaration) {
    return declaration.shardKey().map(field -> new ShardKeyExtractor(declaration, field));
  }

  /** Empty where it is not valid, which the handler says best. */
  Optional<RequestShard> find(Object request, Shards shards) {
    try {
      return Optional.of(read((Message) request, shards));
    } catch (Failure.Invalid e) {
      return Optional.empty();
    }
  }

  RequestShard read(Message request, Shards shards) {
    if (declaration.shardCase() == ShardCase.PAGE_TOKEN) {
      String token = (String) request.getField(field);
      return new RequestShard(PageToken.parse(token, shards.count()).shard(), "");
    }
    String namespace = declaration.namespace(request);
    return new RequestShard(shards.shardOf(namespace), namespace);
  }
}
