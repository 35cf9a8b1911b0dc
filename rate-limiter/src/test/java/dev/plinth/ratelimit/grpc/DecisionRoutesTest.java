package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.server.call.CallDeclaration;
import io.grpc.MethodDescriptor;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Who answers which method, as the protos declare it. */
class DecisionRoutesTest {
  private static final MethodDescriptor<?, ?> ENVOY =
      dev.plinth.envoy.service.ratelimit.v3.RateLimitServiceGrpc.getShouldRateLimitMethod();

  private static Set<String> answeredByTheOwner(DecisionRoutes routes) {
    return RateLimitServiceGrpc.getServiceDescriptor().getMethods().stream()
        .filter(method -> routes.routing(method).flatMap(CallDeclaration::shardKey).isPresent())
        .map(MethodDescriptor::getBareMethodName)
        .collect(Collectors.toSet());
  }

  @Test
  void sharedBudgets_leaveOnlyPoliciesToTheOwner() {
    DecisionRoutes routes = new DecisionRoutes(null, true);
    assertEquals(
        Set.of("PutPolicy", "GetPolicy", "DeletePolicy", "WatchPolicies", "ListPolicies"),
        answeredByTheOwner(routes));
    assertTrue(routes.routing(ENVOY).isEmpty());
    assertTrue(routes.isDecidedHere("any"));
  }

  @Test
  void budgetsOfEachNode_leaveAllButStreamsToTheOwner() {
    DecisionRoutes routes = new DecisionRoutes(null, false);
    Set<String> all =
        RateLimitServiceGrpc.getServiceDescriptor().getMethods().stream()
            .map(MethodDescriptor::getBareMethodName)
            .collect(Collectors.toSet());
    all.remove("CheckStream"); // each of its checks is routed for itself
    assertEquals(all, answeredByTheOwner(routes));
    assertEquals(
        "domain", routes.routing(ENVOY).flatMap(CallDeclaration::shardKey).orElseThrow().getName());
  }
}
