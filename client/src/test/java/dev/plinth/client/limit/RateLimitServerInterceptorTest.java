package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.rpc.ErrorInfo;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import dev.plinth.client.PlinthClient;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.LimitStatus;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.testkit.Await;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.protobuf.StatusProto;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls of tenants are limited, others are not. */
class RateLimitServerInterceptorTest {
  private static final Context.Key<String> WHO = Context.key("who");
  private static final Metadata.Key<String> TENANT = key("tenant");

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final ScriptedLimits service = new ScriptedLimits();
  private final PlinthClient client = service.client().metrics(meters).build();
  private GuardedServer server;

  @AfterEach
  void stop() {
    server.close();
    service.gate.complete(null);
    client.close();
    service.close();
  }

  @Test
  void allowed_runs_andTellsTheLimits() {
    serve(limits());
    service.check =
        request ->
            ScriptedLimits.allowed(1).toBuilder()
                .putHeaders("RateLimit", "\"per-tenant\";r=9;t=1")
                .build();
    GuardedServer.Talk talk = server.one("hello");
    assertEquals(Code.OK, talk.ended.join().getCode());
    assertEquals(List.of("hello"), talk.answers);
    assertEquals("\"per-tenant\";r=9;t=1", talk.headers.join().get(key("ratelimit")));
    assertTrue(service.checks.get(0).getHeaders());
    assertEquals("acme", service.checks.get(0).getDescriptors(0).getValue());
  }

  @Test
  void denied_endsBeforeItsHandler_withAllThatItsCallerNeeds() throws Exception {
    serve(limits());
    service.check = request -> denial();
    GuardedServer.Talk talk = server.one("hello");
    Status status = talk.ended.join();
    assertEquals(Code.RESOURCE_EXHAUSTED, status.getCode());
    assertEquals("rate limit exceeded: per-tenant", status.getDescription());
    assertEquals("RATE_EXCEEDED", detail(talk, ErrorInfo.class).getReason());
    assertEquals("plinth.dev", detail(talk, ErrorInfo.class).getDomain());
    assertEquals(2, detail(talk, RetryInfo.class).getRetryDelay().getSeconds());
    QuotaFailure quota = detail(talk, QuotaFailure.class);
    assertEquals(1, quota.getViolationsCount());
    assertEquals("rule per-tenant", quota.getViolations(0).getSubject());
    assertEquals("2", talk.trailers.get(key("retry-after")));
    assertEquals(List.of(), server.heard);
    assertEquals(0, server.talks.size());
  }

  @Test
  void denialThatHolds_endsTheNextCallWithoutAsking() throws Exception {
    serve(limits());
    service.check = request -> denial();
    server.one("hello").ended.join();
    GuardedServer.Talk talk = server.one("hello again");
    assertEquals(Code.RESOURCE_EXHAUSTED, talk.ended.join().getCode());
    assertEquals("2", talk.trailers.get(key("retry-after")));
    assertTrue(detail(talk, RetryInfo.class).getRetryDelay().getSeconds() <= 1);
    assertEquals(1, service.checks.size());
    assertEquals(0, server.talks.size());
  }

  @Test
  void callsThatALeasePays_beginAtOnce() {
    serve(client.limits(ScriptedLimits.patient().leaseAbove(0)));
    service.lease = request -> service.leased(100);
    server.one("first").ended.join();
    Await.until("a lease", () -> counter("lease.granted") > 0);
    int checks = service.checks.size();
    for (int i = 0; i < 40; i++) {
      assertEquals(Code.OK, server.one("hello").ended.join().getCode());
    }
    assertEquals(checks, service.checks.size());
  }

  /** The server has one thread: if a call that waits kept it, no other could run. */
  @Test
  void callThatWaits_keepsNoThread_andStartsWhenDecided() {
    serve(limits());
    service.gate = new CompletableFuture<>();
    GuardedServer.Talk held = server.one("held");
    Await.until("asked", () -> service.checks.size() == 1);
    assertEquals(Code.OK, server.talk(new Metadata()).say("free").finish().ended.join().getCode());
    assertEquals(List.of("free"), server.heard);
    service.gate.complete(null);
    assertEquals(Code.OK, held.ended.join().getCode());
    assertEquals(List.of("free", "held"), server.heard);
  }

  @Test
  void messagesSentMeanwhile_comeOnce_inOrder() {
    serve(limits());
    service.gate = new CompletableFuture<>();
    GuardedServer.Talk talk = server.talk(tenant()).say("1", "2", "3");
    Await.until("asked", () -> service.checks.size() == 1);
    service.gate.complete(null);
    talk.say("4", "5").finish();
    assertEquals(Code.OK, talk.ended.join().getCode());
    assertEquals(List.of("1", "2", "3", "4", "5"), server.heard);
    assertEquals(server.heard, talk.answers);
  }

  @Test
  void messages_comeAsTheHandlerRequestsThem() {
    serve(limits());
    server.requestsItself = false;
    service.gate = new CompletableFuture<>();
    GuardedServer.Talk talk = server.talk(tenant()).say("1", "2", "3").finish();
    Await.until("asked", () -> service.checks.size() == 1);
    service.gate.complete(null);
    Await.until("begun", () -> server.talks.size() == 1);
    assertEquals(List.of(), server.heard);
    server.talks.get(0).request(2);
    Await.until("two", () -> talk.answers.size() == 2);
    server.talk(new Metadata()).finish().ended.join(); // the one thread has done all it had to
    assertEquals(List.of("1", "2"), server.heard);
    server.talks.get(0).request(1);
    assertEquals(Code.OK, talk.ended.join().getCode());
  }

  @Test
  void cancelledMeanwhile_neverBegins() {
    serve(limits());
    service.gate = new CompletableFuture<>();
    GuardedServer.Talk talk = server.one("hello");
    Await.until("asked", () -> service.checks.size() == 1);
    talk.cancel();
    server.talk(new Metadata()).finish().ended.join(); // after the cancel, on the one thread
    service.gate.complete(null);
    Await.until("decided", () -> decisions("ALLOWED", "SERVICE") == 1);
    server.one("next").ended.join();
    assertEquals(List.of("next"), server.heard);
  }

  @Test
  void serviceAway_goesByTheMode() throws Exception {
    service.check =
        request -> {
          throw Status.UNAVAILABLE.asRuntimeException();
        };
    serve(limits());
    assertEquals(Code.OK, server.one("hello").ended.join().getCode());
    server.close();
    serve(client.limits(ScriptedLimits.patient().onUnavailable(OnUnavailable.CLOSED)));
    GuardedServer.Talk talk = server.one("hello");
    assertEquals(Code.UNAVAILABLE, talk.ended.join().getCode());
    assertEquals("STORE_UNAVAILABLE", detail(talk, ErrorInfo.class).getReason());
    assertEquals(1, decisions("DENIED", "UNAVAILABLE"));
  }

  @Test
  void domainWithoutPolicy_goesByTheModeToo() {
    service.check =
        request -> {
          throw Status.NOT_FOUND.asRuntimeException();
        };
    serve(limits());
    assertEquals(Code.OK, server.one("hello").ended.join().getCode());
    assertEquals(1, decisions("ALLOWED", "UNAVAILABLE"));
  }

  /** A caller can bring it about, so it never opens. */
  @Test
  void descriptorsThatAreRefused_endTheCall_whateverTheMode() throws Exception {
    service.check =
        request -> {
          throw Status.INVALID_ARGUMENT.asRuntimeException();
        };
    serve(limits());
    GuardedServer.Talk talk = server.one("hello");
    assertEquals(Code.INVALID_ARGUMENT, talk.ended.join().getCode());
    assertEquals("FIELD_INVALID", detail(talk, ErrorInfo.class).getReason());
    assertEquals(1, decisions("DENIED", "SERVICE"));
    assertEquals(List.of(), server.heard);
  }

  @Test
  void cost_isThatOfTheFunction() {
    server =
        new GuardedServer(
            RateLimitServerInterceptor.of(limits(), "api", tenants())
                .cost((call, headers) -> headers.get(TENANT).length()));
    server.one("hello").ended.join();
    assertEquals(4, service.checks.get(0).getCost());
  }

  @Test
  void handler_hasTheContextOfItsCall() {
    ServerInterceptor outer =
        new ServerInterceptor() {
          @Override
          public <Q, A> ServerCall.Listener<Q> interceptCall(
              ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            Context context = Context.current().withValue(WHO, "ann");
            return Contexts.interceptCall(context, call, headers, next);
          }
        };
    server = new GuardedServer(outer, RateLimitServerInterceptor.of(limits(), "api", tenants()));
    heldAndDecided().ended.join();
    assertEquals("ann", WHO.get(server.last));
  }

  @Test
  void handlerThatFailsToBegin_endsItsCall() {
    ServerInterceptor broken =
        new ServerInterceptor() {
          @Override
          public <Q, A> ServerCall.Listener<Q> interceptCall(
              ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            if (headers.containsKey(TENANT)) {
              throw new IllegalStateException("broken");
            }
            return next.startCall(call, headers);
          }
        };
    server = new GuardedServer(RateLimitServerInterceptor.of(limits(), "api", tenants()), broken);
    assertEquals(Code.UNKNOWN, heldAndDecided().ended.join().getCode());
  }

  @Test
  void noThreadToBeginOn_endsTheCall() {
    server =
        new GuardedServer(
            RateLimitServerInterceptor.of(limits(), "api", tenants())
                .handlersOn(
                    task -> {
                      throw new RejectedExecutionException("full");
                    }));
    assertEquals(Code.UNAVAILABLE, heldAndDecided().ended.join().getCode());
  }

  @Test
  void shadowDenial_runs_andIsCounted() {
    service.check =
        request ->
            ScriptedLimits.allowed(1).toBuilder().setVerdict(Verdict.VERDICT_ALLOW_SHADOW).build();
    serve(limits());
    assertEquals(Code.OK, server.one("hello").ended.join().getCode());
    assertEquals(1, counter("shadow.denials"));
  }

  @Test
  void callWithNoHeaders_hasTheLinesInItsTrailers() {
    serve(limits());
    service.check =
        request -> ScriptedLimits.allowed(1).toBuilder().putHeaders("RateLimit", "x").build();
    GuardedServer.Talk talk = server.talk(tenant()).finish();
    talk.ended.join();
    boolean inHeaders =
        talk.headers.isDone() && "x".equals(talk.headers.join().get(key("ratelimit")));
    boolean inTrailers = "x".equals(talk.trailers.get(key("ratelimit")));
    assertTrue(inHeaders ^ inTrailers);
    assertFalse(talk.headers.isDone() && inTrailers);
    assertNull(talk.trailers.get(key("retry-after")));
  }

  /** A call whose decision comes when it has been waited for. */
  private GuardedServer.Talk heldAndDecided() {
    service.gate = new CompletableFuture<>();
    GuardedServer.Talk talk = server.one("hello");
    Await.until("asked", () -> service.checks.size() == 1);
    server.talk(new Metadata()).finish().ended.join(); // the one thread is past the first
    service.gate.complete(null);
    return talk;
  }

  private RateLimitClient limits() {
    return client.limits(ScriptedLimits.patient().withoutLeases());
  }

  private void serve(RateLimitClient rateLimitClient) {
    server = new GuardedServer(RateLimitServerInterceptor.of(rateLimitClient, "api", tenants()));
  }

  private static CallDescriptors tenants() {
    return (call, headers) ->
        Optional.ofNullable(headers.get(TENANT)).map(tenant -> Map.of("tenant", tenant));
  }

  private static Metadata tenant() {
    Metadata headers = new Metadata();
    headers.put(TENANT, "acme");
    return headers;
  }

  private static Decision denial() {
    return ScriptedLimits.denied(Duration.ofSeconds(2)).toBuilder()
        .addLimits(LimitStatus.newBuilder().setRule("per-tenant").setLimit(10).setOver(true))
        .addLimits(LimitStatus.newBuilder().setRule("new").setShadow(true).setOver(true))
        .putHeaders("Retry-After", "2")
        .build();
  }

  private static <T extends Message> T detail(GuardedServer.Talk talk, Class<T> type)
      throws Exception {
    for (Any detail :
        StatusProto.fromStatusAndTrailers(talk.ended.join(), talk.trailers).getDetailsList()) {
      if (detail.is(type)) {
        return detail.unpack(type);
      }
    }
    throw new AssertionError("no " + type);
  }

  private double counter(String name) {
    return meters.get("plinth.client.limit." + name).counter().count();
  }

  private double decisions(String answer, String source) {
    return meters
        .get("plinth.client.limit.decisions")
        .tags("answer", answer, "source", source)
        .counter()
        .count();
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }
}
