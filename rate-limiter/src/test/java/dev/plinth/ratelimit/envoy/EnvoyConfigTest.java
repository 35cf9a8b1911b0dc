package dev.plinth.ratelimit.envoy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.Rule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvoyConfigTest {
  private static PutPolicyRequest policy(String text) {
    return config(text).policies().get(0);
  }

  private static EnvoyConfig config(String text) {
    EnvoyConfig config = new EnvoyConfig(false);
    config.add("a.yaml", text);
    return config;
  }

  private static void refused(String message, String text) {
    EnvoyConfigException refused =
        assertThrows(EnvoyConfigException.class, () -> config(text).policies());
    assertTrue(refused.getMessage().startsWith(message), refused.getMessage());
  }

  private static final String HEAD = "domain: d\ndescriptors:\n";

  @Test
  void descriptors_areRules_inTheirOrder_withNamesThatStay() {
    PutPolicyRequest policy =
        policy(
            """
            ---
            domain: mongo_cps # as it is there
            descriptors:
              - key: database
                value: users
                rate_limit: {unit: SECOND, requests_per_unit: 500, name: Users Limit}
              - key: Path
                value: /a/*
                share_threshold: yes
                value_to_metric: true
                descriptors:
                  - key: user
                    detailed_metric: true
                    shadow_mode: true
                    quota_mode: true
                    metadata: {service: {name: s1, ports: [1, 2], on: true}}
                    rate_limit:
                      unit: month
                      requests_per_unit: 1_000
                      replaces: [{name: Users Limit}]
              - key: free
            """);
    assertEquals("mongo_cps", policy.getDomain());
    Rule users = policy.getRules(0);
    assertEquals("database_users", users.getName());
    assertEquals("Users Limit", users.getEnvoy().getLimitName());
    assertEquals(Algorithm.ALGORITHM_FIXED_WINDOW, users.getAlgorithm());
    assertEquals(500, users.getLimit());
    assertEquals(Durations.fromSeconds(1), users.getPeriod());
    Rule nested = policy.getRules(1);
    assertTrue(nested.getName().matches("path_-a---user-[0-9a-f]{8}"), nested.getName());
    assertEquals(List.of("database_users"), nested.getReplacesList());
    assertEquals("/a/*", nested.getMatch(0).getValue());
    assertTrue(nested.getMatch(0).getShared());
    assertTrue(nested.getMatch(0).getValueInMetrics());
    assertTrue(nested.getMatch(1).getValueInMetrics());
    assertTrue(nested.getShadow());
    assertTrue(nested.getEnvoy().getQuotaMode());
    assertEquals(
        "s1",
        nested
            .getEnvoy()
            .getMetadata()
            .getFieldsOrThrow("service")
            .getStructValue()
            .getFieldsOrThrow("name")
            .getStringValue());
    assertEquals(1000, nested.getLimit());
    assertEquals(Durations.fromDays(30), nested.getPeriod());
    assertEquals(Algorithm.ALGORITHM_UNLIMITED, policy.getRules(2).getAlgorithm());
    assertEquals(3, policy.getRulesCount());
  }

  @ParameterizedTest
  @CsvSource({"second,1", "minute,60", "hour,3600", "day,86400", "week,604800", "month,2592000"})
  void unit_isAFixedWindow(String unit, long seconds) {
    Rule rule =
        policy(HEAD + "- {key: k, rate_limit: {requests_per_unit: 0, unit: " + unit + "}}")
            .getRules(0);
    assertEquals(Durations.fromSeconds(seconds), rule.getPeriod());
    assertEquals(0, rule.getLimit());
  }

  @Test
  void anchorsAndMergedFields_areRead() {
    PutPolicyRequest policy =
        policy(
            HEAD
                + """
                - {key: a, rate_limit: &slow {unit: day, requests_per_unit: 2}}
                - {key: b, rate_limit: *slow}
                - {key: c, rate_limit: {<<: *slow, requests_per_unit: 3}}
                """);
    assertEquals(2, policy.getRules(1).getLimit());
    assertEquals(3, policy.getRules(2).getLimit());
    assertEquals(Durations.fromDays(1), policy.getRules(2).getPeriod());
  }

  @Test
  void pathsThatLookAlike_haveDifferentNames() {
    PutPolicyRequest policy =
        policy(
            HEAD
                + """
                - {key: a-b, rate_limit: {unit: day, requests_per_unit: 2}}
                - {key: a, descriptors: [{key: b, rate_limit: {unit: day, requests_per_unit: 1}}]}
                - {key: A-B, rate_limit: {unit: day, requests_per_unit: 1}}
                """);
    assertEquals(
        3, policy.getRulesList().stream().map(Rule::getName).distinct().count(), policy.toString());
  }

  @Test
  void whatTheReferenceRefuses_isRefusedWithItsLine() {
    refused("a.yaml:1: no YAML", "'''");
    refused("a.yaml:1: is empty", "");
    refused("a.yaml:1: a file without a domain", "descriptors:\n");
    refused("a.yaml:3: a second document", "domain: d\n---\ndomain: e\n");
    refused("a.yaml:3: a descriptor without a key", HEAD + "- value: v\n");
    refused("a.yaml:4: duplicate descriptor k_v", HEAD + "- {key: k, value: v}\n- {key: k_v}\n");
    refused("a.yaml:4: unknown field ratelimit", HEAD + "- key: k\n  ratelimit: 1\n");
    refused("a.yaml:4: unknown field ratelimit", HEAD + "- key: k\n  ratelimit:\n    unit: day\n");
    refused("a.yaml:1: unknown field 0.25", "0.25: d\n");
    refused("a.yaml:3: expected: fields", HEAD + "- a\n");
    refused("a.yaml:3: unit \"foo\"", HEAD + "- {key: k, rate_limit: {unit: foo}}");
    refused("a.yaml:3: unit \"\"", HEAD + "- {key: k, rate_limit: {requests_per_unit: 1}}");
    refused(
        "a.yaml:3: a unit of an unlimited",
        HEAD + "- {key: k, rate_limit: {unlimited: true, unit: day}}");
    refused("a.yaml:5: share_threshold", HEAD + "- key: k\n  value: v\n  share_threshold: true\n");
    String limit = "- {key: k, rate_limit: {unit: day, name: self, replaces: [{name: %s}]}}";
    refused("a.yaml:3: replaces \"\"", HEAD + limit.formatted(""));
    refused("a.yaml:3: replaces \"self\"", HEAD + limit.formatted("self"));
    refused(
        "a.yaml:3: -1 (expected: 0..4294967295)",
        HEAD + "- {key: k, rate_limit: {unit: day, requests_per_unit: -1}}");
    refused(
        "a.yaml:3: 4294967296",
        HEAD + "- {key: k, rate_limit: {unit: day, requests_per_unit: 4294967296}}");
  }

  @Test
  void whatAPolicyCannotSay_isRefusedWithItsLine() {
    refused("a.yaml:1: domain: \"a b\"", "domain: a b\ndescriptors: [{key: k}]");
    refused("a.yaml:1: domain d has no descriptors", HEAD);
    refused("a.yaml:3: key a*", HEAD + "- key: a*\n");
    refused("a.yaml:4: a value of 257", HEAD + "- key: k\n  value: " + "x".repeat(257));
    refused(
        "a.yaml:3: replaces b, which replaces this one",
        HEAD
            + "- {key: k, rate_limit: {unit: day, name: a, replaces: [{name: b}]}}\n"
            + "- {key: l, rate_limit: {unit: day, name: b, replaces: [{name: a}]}}\n");
    StringBuilder deep = new StringBuilder(HEAD);
    for (int i = 0; i < 17; i++) {
      deep.append("  ".repeat(i)).append("- key: k\n").append("  ".repeat(i + 1));
      deep.append("descriptors:\n");
    }
    refused("a.yaml:35: nested 17 deep", deep.toString());
    StringBuilder many = new StringBuilder(HEAD);
    for (int i = 0; i <= EnvoyDomain.MAX_RULES; i++) {
      many.append("- key: k").append(i).append('\n');
    }
    refused("a.yaml:1003: domain d has more than 1000 limits", many.toString());
  }

  @Test
  void whatHasNoEffect_isNoted() {
    EnvoyConfig config =
        config(
            HEAD
                + """
                - key: k
                  rate_limit:
                    unit: day
                    shadow_mode: true
                    replaces: [{name: nobody}]
                """);
    config.policies();
    assertEquals(
        List.of(
            "a.yaml:6: shadow_mode has no effect here",
            "a.yaml:7: replaces nobody, but no limit has that name"),
        config.notes());
  }

  @Test
  void domainInTwoFiles_isRefused_unlessTheyAreMerged() {
    String one = HEAD + "- key: a\n";
    EnvoyConfig apart = config(one);
    EnvoyConfigException refused =
        assertThrows(EnvoyConfigException.class, () -> apart.add("b.yaml", HEAD + "- key: b\n"));
    assertTrue(refused.getMessage().startsWith("b.yaml:1: domain d is in another file"));
    EnvoyConfig merged = new EnvoyConfig(true);
    merged.add("a.yaml", one);
    merged.add("b.yaml", HEAD + "- key: b\n");
    assertEquals(2, merged.policies().get(0).getRulesCount());
    assertThrows(EnvoyConfigException.class, () -> merged.add("c.yaml", one));
  }
}
