package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.UInt64Value;
import com.google.protobuf.util.Durations;
import dev.plinth.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import dev.plinth.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitRequest;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import dev.plinth.envoy.type.v3.RateLimitUnit;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.testkit.call.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** ShouldRateLimit, as a proxy calls it. */
@OnEachBudgets
class EnvoyTest {
  @Parameter LimitServer server;
  private LimitCalls calls;

  @BeforeEach
  void begin() {
    calls = new LimitCalls(server);
  }

  private RateLimitResponse ask(RateLimitRequest.Builder request) {
    return RateLimitServiceGrpc.newBlockingStub(server.channel()).shouldRateLimit(request.build());
  }

  private RateLimitRequest.Builder wish(RateLimitDescriptor.Builder... descriptors) {
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain(calls.domain);
    for (RateLimitDescriptor.Builder descriptor : descriptors) {
      request.addDescriptors(descriptor);
    }
    return request;
  }

  private static RateLimitDescriptor.Builder entries(String... keysAndValues) {
    RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      descriptor.addEntriesBuilder().setKey(keysAndValues[i]).setValue(keysAndValues[i + 1]);
    }
    return descriptor;
  }

  private static Rule.Builder daily(String name, long limit, String... keys) {
    Rule.Builder rule =
        Rule.newBuilder()
            .setName(name)
            .setAlgorithm(Algorithm.ALGORITHM_SLIDING_LOG)
            .setLimit(limit)
            .setPeriod(Durations.fromDays(1));
    for (String key : keys) {
      rule.addMatchBuilder().setKey(key);
    }
    return rule;
  }

  @Test
  void descriptor_isAllowedUpToItsLimit_thenOver_andSaysWhatIsLeft() {
    calls.put(daily("per-path", 2, "path"));
    RateLimitResponse first = ask(wish(entries("path", "/pay")));
    assertEquals(Code.OK, first.getOverallCode());
    var status = first.getStatuses(0);
    assertEquals(Code.OK, status.getCode());
    assertEquals("per-path", status.getCurrentLimit().getName());
    assertEquals(2, status.getCurrentLimit().getRequestsPerUnit());
    assertEquals(Unit.DAY, status.getCurrentLimit().getUnit());
    assertEquals(1, status.getLimitRemaining());
    assertTrue(Durations.toSeconds(status.getDurationUntilReset()) > 86_000);
    assertEquals(0, first.getResponseHeadersToAddCount(), "none unless set");
    ask(wish(entries("path", "/pay")));
    RateLimitResponse over = ask(wish(entries("path", "/pay")));
    assertEquals(Code.OVER_LIMIT, over.getOverallCode());
    assertEquals(Code.OVER_LIMIT, over.getStatuses(0).getCode());
    assertEquals(0, over.getStatuses(0).getLimitRemaining());
    assertEquals(0, calls.left("per-path", "path", "/pay"), "the same budget as ours");
  }

  @Test
  void descriptorsOfMoreThanTwoThousandBudgets_areRefused_notUnlimited() {
    Rule.Builder[] rules = new Rule.Builder[1000];
    for (int i = 0; i < rules.length; i++) {
      rules[i] = daily("rule-" + i, 2, "path");
    }
    calls.put(rules);
    RateLimitRequest.Builder most = wish(entries("path", "/a"), entries("path", "/b"));
    assertEquals(Code.OK, ask(most).getOverallCode());
    refused("descriptors", most.addDescriptors(entries("path", "/c")));
  }

  @Test
  void rule_isForTheWholeDescriptor_notForAPartOfIt() {
    calls.put(daily("per-path", 1, "path"), daily("per-path-and-user", 1, "path", "user"));
    RateLimitResponse both =
        ask(wish(entries("path", "/pay"), entries("path", "/pay", "user", "ann")));
    assertEquals(List.of("per-path", "per-path-and-user"), names(both));
    RateLimitResponse user = ask(wish(entries("path", "/pay", "user", "bob")));
    assertEquals(Code.OK, user.getOverallCode(), "the rule of the path alone is not asked");
    RateLimitResponse any = ask(wish(entries("path", "/pay"), entries("path", "/x", "user", "c")));
    assertEquals(Code.OVER_LIMIT, any.getOverallCode(), "if any is over");
    assertEquals(Code.OVER_LIMIT, any.getStatuses(0).getCode());
    assertEquals(Code.OK, any.getStatuses(1).getCode());
  }

  private static List<String> names(RateLimitResponse response) {
    return response.getStatusesList().stream()
        .map(status -> status.getCurrentLimit().getName())
        .toList();
  }

  @Test
  void whatHasNoLimit_isAllowed() {
    RateLimitResponse unknown = ask(wish(entries("path", "/pay")));
    assertEquals(Code.OK, unknown.getOverallCode());
    assertEquals(1, unknown.getStatusesCount());
    assertFalse(unknown.getStatuses(0).hasCurrentLimit());
    assertEquals(
        Code.OK, ask(wish(entries("a", "b")).setDomain("Not_One.Of-Ours")).getOverallCode());
    LimitCalls other = new LimitCalls(server);
    other.put(daily("per-path", 1, "path"));
    RateLimitResponse noRule = ask(wish(entries("user", "ann")).setDomain(other.domain));
    assertEquals(Code.OK, noRule.getOverallCode());
    assertFalse(noRule.getStatuses(0).hasCurrentLimit());
  }

  @Test
  void hits_areTheCost_ofTheRequestOrOfADescriptor() {
    calls.put(daily("per-path", 10, "path"));
    ask(wish(entries("path", "/a"), entries("path", "/b")).setHitsAddend(4));
    assertEquals(6, calls.left("per-path", "path", "/a"));
    assertEquals(6, calls.left("per-path", "path", "/b"));
    ask(wish(entries("path", "/a").setHitsAddend(UInt64Value.of(6))).setHitsAddend(1));
    assertEquals(0, calls.left("per-path", "path", "/a"));
    RateLimitResponse look = ask(wish(entries("path", "/a").setHitsAddend(UInt64Value.of(0))));
    assertEquals(Code.OK, look.getOverallCode(), "used = limit is not over");
    look = ask(wish(entries("path", "/b").setHitsAddend(UInt64Value.of(0))));
    assertEquals(Code.OK, look.getOverallCode());
    assertEquals(6, calls.left("per-path", "path", "/b"));
  }

  @Test
  void denied_isChargedToWindows_notToLimitsThatRefill_norByOurCheck() {
    calls.put(
        daily("log", 3, "a"),
        daily("window", 3, "b").setAlgorithm(Algorithm.ALGORITHM_FIXED_WINDOW));
    for (String key : List.of("a", "b")) {
      ask(wish(entries(key, "x")).setHitsAddend(2));
      assertEquals(Code.OVER_LIMIT, ask(wish(entries(key, "x")).setHitsAddend(2)).getOverallCode());
    }
    assertEquals(Code.OK, ask(wish(entries("a", "x"))).getOverallCode());
    assertEquals(Code.OVER_LIMIT, ask(wish(entries("b", "x"))).getOverallCode());
    assertEquals(3, calls.left("window", "b", "other"));
    calls.check(calls.wish("b", "y").setCost(2));
    calls.check(calls.wish("b", "y").setCost(2));
    assertEquals(1, calls.left("window", "b", "y"), "a check that is denied changes nothing");
  }

  @Test
  void manyAtOnce_asManyAsTheLimitAreOk_andEachIsToldWhatItLeft() throws Exception {
    calls.put(daily("window", 20, "k").setAlgorithm(Algorithm.ALGORITHM_FIXED_WINDOW));
    var stub = RateLimitServiceGrpc.newFutureStub(server.channel());
    List<ListenableFuture<RateLimitResponse>> asked = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      asked.add(stub.shouldRateLimit(wish(entries("k", "hot")).build()));
    }
    Set<Integer> left = new TreeSet<>();
    int over = 0;
    for (ListenableFuture<RateLimitResponse> each : asked) {
      RateLimitResponse response = each.get();
      if (response.getOverallCode() == Code.OK) {
        assertTrue(left.add(response.getStatuses(0).getLimitRemaining()), "each its own");
      } else {
        assertEquals(0, response.getStatuses(0).getLimitRemaining());
        over++;
      }
    }
    assertEquals(40, over);
    assertEquals(20, left.size());
    assertTrue(left.contains(0) && left.contains(19), left.toString());
  }

  @Test
  void severalRulesOfTheMostSpecificDescriptor_allCount() {
    Rule.Builder second = daily("per-path-and-hour", 5, "path").setPeriod(Durations.fromHours(1));
    calls.put(daily("per-path", 2, "path"), second, daily("all", 1));
    RateLimitResponse first = ask(wish(entries("path", "/a")));
    assertEquals("per-path", first.getStatuses(0).getCurrentLimit().getName(), "it has least left");
    assertEquals(4, calls.left("per-path-and-hour", "path", "/a"));
    assertEquals(1, calls.left("all", "path", "/a"), "a rule of everything is no descriptor's");
    assertFalse(
        ask(wish(entries())).getStatuses(0).hasCurrentLimit(), "nor of one without entries");
  }

  @Test
  void shadowRule_isNeverOver() {
    calls.put(daily("trial", 1, "path").setShadow(true));
    for (int i = 0; i < 3; i++) {
      assertEquals(Code.OK, ask(wish(entries("path", "/pay"))).getOverallCode());
    }
  }

  @Test
  void limitThatTheCallerBrings_countsInsteadOfTheRules_onABudgetOfItsOwn() {
    calls.put(daily("per-path", 100, "path"));
    var three = RateLimitOverride.newBuilder().setRequestsPerUnit(3).setUnit(RateLimitUnit.YEAR);
    var two = RateLimitOverride.newBuilder().setRequestsPerUnit(2).setUnit(RateLimitUnit.YEAR);
    for (int i = 0; i < 3; i++) {
      RateLimitResponse allowed = ask(wish(entries("path", "/pay").setLimit(three)));
      assertEquals(Code.OK, allowed.getOverallCode());
      assertEquals(3, allowed.getStatuses(0).getCurrentLimit().getRequestsPerUnit());
      assertEquals(Unit.YEAR, allowed.getStatuses(0).getCurrentLimit().getUnit());
    }
    assertEquals(
        Code.OVER_LIMIT, ask(wish(entries("path", "/pay").setLimit(three))).getOverallCode());
    assertEquals(
        Code.OK,
        ask(wish(entries("path", "/pay").setLimit(two))).getOverallCode(),
        "another limit has another budget");
    assertEquals(Code.OK, ask(wish(entries("path", "/other").setLimit(three))).getOverallCode());
    assertEquals(100, calls.left("per-path", "path", "/pay"));
  }

  @Test
  void longValue_isLimited_asItself() {
    calls.put(daily("per-path", 1, "path"));
    String path = "/".repeat(5000);
    assertEquals(Code.OK, ask(wish(entries("path", path + "a"))).getOverallCode());
    assertEquals(Code.OVER_LIMIT, ask(wish(entries("path", path + "a"))).getOverallCode());
    assertEquals(Code.OK, ask(wish(entries("path", path + "b"))).getOverallCode());
  }

  @Test
  void badField_isRefusedByName() {
    calls.put(daily("per-path", 1, "path"));
    refused("domain", wish(entries("a", "b")).setDomain(""));
    refused("descriptors", wish());
    RateLimitDescriptor.Builder many = entries();
    for (int i = 0; i < 65; i++) {
      many.addEntriesBuilder().setKey("k" + i);
    }
    refused("descriptors[0].entries", wish(many));
    refused(
        "descriptors[0].hits_addend", wish(entries("a", "b").setHitsAddend(UInt64Value.of(-1))));
    refused(
        "descriptors[0].hits_addend",
        wish(entries("a", "b").setHitsAddend(UInt64Value.of(1L << 32))));
    refused(
        "descriptors[0].limit.unit",
        wish(
            entries("a", "b")
                .setLimit(RateLimitOverride.newBuilder().setRequestsPerUnit(1).setUnitValue(99))));
  }

  private void refused(String field, RateLimitRequest.Builder request) {
    Refusal.of(() -> ask(request)).isOfField(field, ErrorReason.ERROR_REASON_FIELD_INVALID);
  }
}
