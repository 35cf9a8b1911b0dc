package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.client.PlinthClient;
import io.grpc.Metadata;
import io.grpc.ServerInterceptor;
import io.grpc.Status.Code;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers whose header is longer than the real service takes. */
class LongValuesTest {
  private static final Metadata.Key<String> WHO =
      Metadata.Key.of("who", Metadata.ASCII_STRING_MARSHALLER);

  @TempDir Path directory;

  @Test
  void longHeader_isLimited() {
    serve(
        limits -> RateLimitServerInterceptor.of(limits, "api", descriptors("tenant")),
        server -> {
          assertEquals(Code.OK, end(talk(server, "a".repeat(257)).finish()));
          assertEquals(Code.RESOURCE_EXHAUSTED, end(talk(server, "a".repeat(257)).finish()));
          assertEquals(Code.OK, end(talk(server, "a".repeat(258)).finish()));
        });
  }

  @Test
  void longHeader_isBoundedAtTheSameTime() {
    serve(
        limits -> ConcurrencyServerInterceptor.of(limits, "api", descriptors("route")),
        server -> {
          GuardedServer.Talk first = talk(server, "a".repeat(257));
          first.headers.join();
          assertEquals(Code.RESOURCE_EXHAUSTED, end(talk(server, "a".repeat(257)).finish()));
          assertEquals(Code.OK, end(talk(server, "a".repeat(258)).finish()));
          assertEquals(Code.OK, end(first.finish()));
        });
  }

  private void serve(
      Function<RateLimitClient, ServerInterceptor> interceptor, Consumer<GuardedServer> test) {
    try (LimitServer service = new LimitServer(directory);
        PlinthClient client = PlinthClient.builder(service.target()).build()) {
      service.put(LimitServer.bucket(1, 1, Duration.ofHours(1)), LimitServer.concurrency(1));
      RateLimitClient limits = client.limits(ScriptedLimits.patient());
      try (GuardedServer server = new GuardedServer(interceptor.apply(limits))) {
        test.accept(server);
      }
    }
  }

  private static CallDescriptors descriptors(String key) {
    return (call, headers) ->
        Optional.ofNullable(headers.get(WHO)).map(value -> Map.of(key, value));
  }

  private static GuardedServer.Talk talk(GuardedServer server, String who) {
    Metadata headers = new Metadata();
    headers.put(WHO, who);
    return server.talk(headers).say("hello");
  }

  private static Code end(GuardedServer.Talk talk) {
    return talk.ended.join().getCode();
  }
}
