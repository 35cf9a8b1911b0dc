package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Struct;
import com.google.protobuf.util.Durations;
import dev.plinth.envoy.config.core.v3.HeaderValue;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.micrometer.core.instrument.Counter;
import java.text.MessageFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a proxy and its operator read: headers, metadata, limits, metrics and the log. */
@OnEachBudgets
class EnvoyAnswersTest {
  private static final String TWO =
      """
      - {key: k, rate_limit: {unit: year, requests_per_unit: 5}}
      - {key: l, rate_limit: {unit: year, requests_per_unit: 2}}
      """;

  @Parameter LimitServer server;

  /** A server like the one of this run, with flags. */
  private LimitServer with(String... flags) {
    String[] all = new String[flags.length + 1];
    System.arraycopy(flags, 0, all, 0, flags.length);
    all[flags.length] = LimitServer.PATIENT;
    return server.toString().equals("redis")
        ? LimitServer.onRedis(LimitServers.REDIS.hostPorts(), all)
        : LimitServer.embedded(all);
  }

  private static Map<String, String> headers(RateLimitResponse response) {
    return response.getResponseHeadersToAddList().stream()
        .collect(Collectors.toMap(HeaderValue::getKey, HeaderValue::getValue));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x-ratelimit", "ratelimit", "a-limit,a-remaining,a-reset"})
  void headers_haveTheNamesThatAreSet_andTellOfTheTightest(String setting) {
    try (LimitServer named = with("--envoy-headers=" + setting)) {
      EnvoyReference reference = EnvoyReference.of(TWO, named.channel());
      String prefix = setting.startsWith("a-") ? "a-" : setting + "-";
      Map<String, String> two = lower(headers(reference.ask("k=a & l=a & no=rule")));
      assertEquals("2", two.get(prefix + "limit"));
      assertEquals("1", two.get(prefix + "remaining"));
      long reset = Long.parseLong(two.get(prefix + "reset"));
      assertTrue(reset > 0 && reset <= 365 * 86_400, two.toString());
      assertEquals(3, two.size());
      Map<String, String> over = lower(headers(reference.ask("k=a +9 & l=a")));
      assertEquals("5", over.get(prefix + "limit"), "the one that is over");
      assertEquals("0", over.get(prefix + "remaining"));
      assertEquals(Map.of(), headers(reference.ask("no=rule")));
    }
  }

  private static Map<String, String> lower(Map<String, String> headers) {
    return headers.entrySet().stream()
        .collect(
            Collectors.toMap(
                header -> header.getKey().toLowerCase(Locale.ROOT), Map.Entry::getValue));
  }

  @Test
  void headers_areNone_orStructured() {
    EnvoyReference none = EnvoyReference.of(TWO, server.channel());
    assertEquals(Map.of(), headers(none.ask("k=a")));
    try (LimitServer structured = with("--envoy-headers=structured")) {
      EnvoyReference reference = EnvoyReference.of(TWO, structured.channel());
      Map<String, String> headers = headers(reference.ask("l=a +3"));
      assertEquals("\"l\";q=2;w=31536000", headers.get(LimitHeaders.POLICY));
      assertTrue(headers.containsKey(LimitHeaders.LIMIT), headers.toString());
    }
    for (String bad : List.of("", "some", "a,b", "a,b,c,d", "a b,c,d")) {
      assertThrows(IllegalArgumentException.class, () -> EnvoyHeaders.parse(bad), bad);
    }
  }

  @Test
  void metadata_isThatOfDescriptorsThatAreNotOver_soThatAProxyCanChoose() {
    String services =
        """
        - key: service
          value: s1
          quota_mode: true
          rate_limit: {unit: year, requests_per_unit: 1}
          metadata: {service_with_quota: {name: s1}}
        - key: service
          value: s2
          quota_mode: true
          rate_limit: {unit: year, requests_per_unit: 2}
          metadata: {service_with_quota: {name: s2, zone: 7}}
        """;
    EnvoyReference without = EnvoyReference.of(services, server.channel());
    assertFalse(without.ask("service=s1").hasDynamicMetadata(), "unless it is set");
    try (LimitServer told = with("--envoy-metadata=true")) {
      EnvoyReference reference = EnvoyReference.of(services, told.channel());
      String look = "service=s1 +0 & service=s2 +0";
      Struct all = reference.ask(look).getDynamicMetadata();
      assertEquals(reference.domain, all.getFieldsOrThrow("domain").getStringValue());
      assertEquals(
          "service=s2",
          all.getFieldsOrThrow("descriptors")
              .getListValue()
              .getValues(1)
              .getStructValue()
              .getFieldsOrThrow("entries")
              .getListValue()
              .getValues(0)
              .getStringValue());
      // Of each service one more than its limit passes, since it is charged afterwards.
      for (String service : List.of("s1", "s1", "s2", "s2", "s2")) {
        RateLimitResponse before = reference.ask(look);
        assertEquals(Code.OK, before.getOverallCode());
        assertEquals(service, chosen(before));
        reference.ask("service=" + service + " +1");
      }
      RateLimitResponse over = reference.ask(look);
      assertEquals(Code.OVER_LIMIT, over.getOverallCode());
      assertFalse(over.getDynamicMetadata().containsFields("metadata"));
    }
  }

  private static String chosen(RateLimitResponse response) {
    return response
        .getDynamicMetadata()
        .getFieldsOrThrow("metadata")
        .getStructValue()
        .getFieldsOrThrow("service_with_quota")
        .getStructValue()
        .getFieldsOrThrow("name")
        .getStringValue();
  }

  @Test
  void currentLimit_hasTheNameAndUnitOfTheConfiguration() {
    StringBuilder units = new StringBuilder();
    for (Unit unit : Unit.values()) {
      if (unit != Unit.UNKNOWN && unit != Unit.UNRECOGNIZED) {
        String limit = "{name: Of %s, unit: %s, requests_per_unit: 7}".formatted(unit, unit);
        units.append("- {key: %s, rate_limit: %s}%n".formatted(unit, limit));
      }
    }
    EnvoyReference reference = EnvoyReference.of(units + TWO, server.channel());
    for (Unit unit : Unit.values()) {
      if (unit != Unit.UNKNOWN && unit != Unit.UNRECOGNIZED) {
        var status = reference.ask(unit + "=a").getStatuses(0);
        assertEquals(unit, status.getCurrentLimit().getUnit());
        assertEquals("Of " + unit, status.getCurrentLimit().getName());
        assertEquals(7, status.getCurrentLimit().getRequestsPerUnit());
        assertTrue(Durations.toMicros(status.getDurationUntilReset()) > 0);
      }
    }
    assertEquals("", reference.ask("k=a").getStatuses(0).getCurrentLimit().getName());
  }

  @Test
  void hits_areCountedByRule_andByValueWhereAsked() {
    EnvoyReference reference =
        EnvoyReference.of(
            """
            - {key: plain, rate_limit: {unit: year, requests_per_unit: 2}}
            - {key: detailed, detailed_metric: true, rate_limit: {unit: year, requests_per_unit: 2}}
            - {key: trial, shadow_mode: true, rate_limit: {unit: year, requests_per_unit: 1}}
            - key: route
              value_to_metric: true
              descriptors:
                - {key: user, rate_limit: {unit: year, requests_per_unit: 9}}
            - key: file
              value: 'f*'
              share_threshold: true
              detailed_metric: true
              rate_limit: {unit: year, requests_per_unit: 9}
            """,
            server.channel());
    reference.run(
        "plain=a +2 -> ok: ok/0",
        "plain=a +3 -> over: over/0",
        "detailed=x +2 -> ok: ok/0",
        "detailed=x -> over: over/0",
        "2x trial=a -> ok: ok/0",
        "route=api,user=ann +4 -> ok: ok/5",
        "file=f1 +2 -> ok: ok/7");
    assertEquals(2, hits(reference, "plain", "", "ok"));
    assertEquals(3, hits(reference, "plain", "", "over_limit"));
    assertEquals(1, hits(reference, "detailed", "detailed_x", "over_limit"));
    assertEquals(1, hits(reference, "trial", "", "shadow"));
    assertEquals(4, hits(reference, "route-user", "route_api", "ok"));
    Counter shared =
        server
            .meters()
            .get("plinth.ratelimit.envoy.hits")
            .tag("domain", reference.domain)
            .tag("values", "file_f*")
            .counter();
    assertEquals(2, shared.count());
  }

  private double hits(EnvoyReference reference, String rule, String values, String outcome) {
    return server
        .meters()
        .get("plinth.ratelimit.envoy.hits")
        .tag("domain", reference.domain)
        .tag("rule", rule)
        .tag("values", values)
        .tag("outcome", outcome)
        .counter()
        .count();
  }

  @Test
  void domainWithoutAPolicy_isAllowed_countedAndLogged() {
    ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(
                line.getLevel()
                    + " "
                    + MessageFormat.format(line.getMessage(), line.getParameters()));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("plinth.ratelimit");
    logger.addHandler(handler);
    try (LimitServer fresh = with()) {
      String domain = "nobody_" + UUID.randomUUID();
      for (int i = 0; i < 3; i++) {
        RateLimitResponse response = ask(fresh, domain, "k=a ^1/year & k=b");
        assertEquals(Code.OK, response.getOverallCode());
        assertFalse(response.getStatuses(0).hasCurrentLimit());
      }
      assertEquals(3, unknown(fresh, domain));
      ask(fresh, "no policy can have this name", "k=a");
      assertEquals(1, unknown(fresh, "no policy can have this name"));
      List<String> told = lines.stream().filter(line -> line.contains("no policy")).toList();
      assertTrue(told.get(0).startsWith("WARNING"), told.toString());
      assertTrue(told.get(0).contains(domain), told.toString());
      assertTrue(told.size() < 4, "not for each request: " + told);
    } finally {
      logger.removeHandler(handler);
    }
  }

  private static RateLimitResponse ask(LimitServer server, String domain, String line) {
    return dev.plinth.envoy.service.ratelimit.v3.RateLimitServiceGrpc.newBlockingStub(
            server.channel())
        .shouldRateLimit(EnvoyReference.request(line).setDomain(domain).build());
  }

  private static double unknown(LimitServer server, String domain) {
    return server
        .meters()
        .get("plinth.ratelimit.envoy.unknown.domain")
        .tag("domain", domain)
        .counter()
        .count();
  }
}
