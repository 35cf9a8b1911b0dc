package dev.plinth.client.guard;

import dev.plinth.client.lease.LeaseHandle;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerInterceptor;
import java.nio.charset.StandardCharsets;

/**
 * Carries the token of a lease with each call, and checks it at the server's door. The check covers
 * the order of arrival, which is enough for a service that handles calls one after the other; one
 * that pauses between the door and its store also needs a guard there.
 */
public final class TokenInterceptor {
  static final Metadata.Key<String> TOKEN =
      Metadata.Key.of("plinth-fencing-token", Metadata.ASCII_STRING_MARSHALLER);

  /** Binary, since a key may hold any character. */
  static final Metadata.Key<byte[]> RESOURCE =
      Metadata.Key.of("plinth-fencing-resource-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private TokenInterceptor() {}

  /**
   * For a stub; a call after the lease is lost throws {@link
   * dev.plinth.client.lease.LeaseLostException}.
   */
  public static ClientInterceptor sending(LeaseHandle lease) {
    return new ClientInterceptor() {
      @Override
      public <Q, A> ClientCall<Q, A> interceptCall(
          MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
          @Override
          public void start(Listener<A> listener, Metadata headers) {
            headers.put(TOKEN, Long.toString(lease.requireHeld()));
            headers.put(RESOURCE, name(lease).getBytes(StandardCharsets.UTF_8));
            super.start(listener, headers);
          }
        };
      }
    };
  }

  private static String name(LeaseHandle lease) {
    return lease.namespace() + "/" + lease.key();
  }

  /**
   * For a server: refuses a lower token than it has seen for the lease's key with
   * FAILED_PRECONDITION, TOKEN_STALE, and a call without one with INVALID_ARGUMENT. It remembers in
   * memory, a few bytes for each key.
   */
  public static ServerInterceptor checking() {
    return checking(() -> {});
  }

  /** As {@link #checking()}; runs the task at each refusal of a lower token. */
  public static ServerInterceptor checking(Runnable onStale) {
    return new TokenCheck(onStale);
  }
}
