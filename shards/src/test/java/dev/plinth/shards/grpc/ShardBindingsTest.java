package dev.plinth.shards.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.ParseResponse;
import dev.plinth.shards.TextApp;
import io.grpc.ServiceDescriptor;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is not declared, or not bound, is found before a server starts. */
class ShardBindingsTest {
  private static final ServiceDescriptor FOREIGN =
      dev.plinth.envoy.service.ratelimit.v3.RateLimitServiceGrpc.getServiceDescriptor();

  private static void assertRefused(Consumer<ShardBindings<?>> binding) {
    ShardBindings<?> bindings = new ShardBindings<>(FOREIGN, null, new TextApp());
    IllegalStateException refused =
        assertThrows(IllegalStateException.class, () -> binding.accept(bindings));
    assertTrue(refused.getMessage().contains("plinth.options.v1.call"), refused.getMessage());
  }

  @Test
  void methodWithoutADeclaration_isNotBound() {
    var method =
        dev.plinth.envoy.service.ratelimit.v3.RateLimitServiceGrpc.getShouldRateLimitMethod();
    assertRefused(
        bindings ->
            bindings.async(
                method,
                (domain, request) ->
                    CompletableFuture.completedStage(RateLimitResponse.getDefaultInstance())));
    assertRefused(bindings -> bindings.call(method, call -> {}));
    assertRefused(bindings -> bindings.command(method, (domain, request) -> null));
    assertRefused(bindings -> bindings.stream(method, (calls, to) -> null));
  }

  @Test
  void methodThatIsNotBound_isMissed() {
    var bindings =
        new ShardBindings<>(IdServiceGrpc.getServiceDescriptor(), null, new TextApp())
            .async(
                IdServiceGrpc.getParseMethod(),
                (namespace, request) ->
                    CompletableFuture.completedStage(ParseResponse.getDefaultInstance()));
    IllegalStateException missing = assertThrows(IllegalStateException.class, bindings::build);
    assertEquals("No method bound for descriptor entry", missing.getMessage().substring(0, 36));
  }
}
