package dev.plinth.client.limit;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import java.util.Map;
import java.util.Optional;

/** What a call is limited as, from its method, its headers and the attributes of its connection. */
@FunctionalInterface
public interface CallDescriptors {
  /** Empty for a call that is not limited. Must not block. */
  Optional<Map<String, String>> of(ServerCall<?, ?> call, Metadata headers);
}
