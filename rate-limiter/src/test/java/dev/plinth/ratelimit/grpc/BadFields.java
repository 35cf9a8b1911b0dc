package dev.plinth.ratelimit.grpc;

import static dev.plinth.testkit.call.FieldTable.NO_DURATION;
import static dev.plinth.testkit.call.FieldTable.names;
import static dev.plinth.testkit.call.FieldTable.texts;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Values;
import dev.plinth.ratelimit.v1.AcquireSlotRequest;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.Calendar;
import dev.plinth.ratelimit.v1.CheckItem;
import dev.plinth.ratelimit.v1.CheckManyRequest;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.DeletePolicyRequest;
import dev.plinth.ratelimit.v1.EnvoyOptions;
import dev.plinth.ratelimit.v1.GetPolicyRequest;
import dev.plinth.ratelimit.v1.InspectRequest;
import dev.plinth.ratelimit.v1.LeaseBudgetRequest;
import dev.plinth.ratelimit.v1.LeaseRule;
import dev.plinth.ratelimit.v1.ListPoliciesRequest;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.ReleaseSlotRequest;
import dev.plinth.ratelimit.v1.RenewSlotRequest;
import dev.plinth.ratelimit.v1.ReserveRequest;
import dev.plinth.ratelimit.v1.ResetKeyRequest;
import dev.plinth.ratelimit.v1.ReturnBudgetRequest;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.ratelimit.v1.SettleRequest;
import dev.plinth.ratelimit.v1.WatchPoliciesRequest;
import dev.plinth.testkit.call.FieldPaths;
import dev.plinth.testkit.call.FieldTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Every field of every request, with values that it must not have. */
final class BadFields {
  private static final long MOST = 1_000_000_000;

  /** Fields that are fine whatever they say. */
  static final Map<String, String> CANNOT_BE_BAD =
      Map.of(
          "CheckRequest.partial", "both are fine",
          "CheckRequest.headers", "both are fine",
          "CheckManyRequest.all_or_nothing", "both are fine",
          "PutPolicyRequest.rules.version", "set by the server, not looked at",
          "PutPolicyRequest.rules.match.shared", "both are fine",
          "PutPolicyRequest.rules.match.value_in_metrics", "both are fine",
          "PutPolicyRequest.rules.envoy", "it may be absent; its fields are here",
          "PutPolicyRequest.rules.envoy.quota_mode", "both are fine");

  private final FieldTable table = new FieldTable();

  private BadFields() {}

  /** One of every call but the stream of checks, which goes on after a bad one. */
  static List<Message> good(LimitCalls calls) {
    String domain = calls.domain;
    var descriptors = LimitCalls.descriptors("user", "ann");
    return List.of(
        CheckRequest.newBuilder().setDomain(domain).addAllDescriptors(descriptors).build(),
        CheckManyRequest.newBuilder()
            .setDomain(domain)
            .addItems(CheckItem.newBuilder().addAllDescriptors(descriptors))
            .build(),
        ReserveRequest.newBuilder().setDomain(domain).addAllDescriptors(descriptors).build(),
        SettleRequest.newBuilder().setDomain(domain).setReservationId("r").build(),
        LeaseBudgetRequest.newBuilder()
            .setDomain(domain)
            .addAllDescriptors(descriptors)
            .setWant(1)
            .build(),
        ReturnBudgetRequest.newBuilder().setDomain(domain).setLeaseId("l-1.5").build(),
        AcquireSlotRequest.newBuilder().setDomain(domain).addAllDescriptors(descriptors).build(),
        RenewSlotRequest.newBuilder().setDomain(domain).setSlotId("s").build(),
        ReleaseSlotRequest.newBuilder().setDomain(domain).setSlotId("s").build(),
        put(calls, rule()),
        GetPolicyRequest.newBuilder().setDomain(domain).build(),
        ListPoliciesRequest.getDefaultInstance(),
        DeletePolicyRequest.newBuilder().setDomain(domain).build(),
        WatchPoliciesRequest.newBuilder().setDomain(domain).build(),
        InspectRequest.newBuilder().setDomain(domain).addAllDescriptors(descriptors).build(),
        ResetKeyRequest.newBuilder()
            .setDomain(domain)
            .addAllDescriptors(descriptors)
            .setReason("why")
            .build());
  }

  private static Rule.Builder rule() {
    return LimitCalls.bucket("all", 5, "user").setLease(LeaseRule.getDefaultInstance());
  }

  private static Message put(LimitCalls calls, Rule.Builder... rules) {
    PutPolicyRequest.Builder put = PutPolicyRequest.newBuilder().setDomain(calls.domain);
    for (Rule.Builder rule : rules) {
      put.addRules(rule);
    }
    return put.build();
  }

  static FieldTable of(LimitCalls calls) {
    BadFields bad = new BadFields();
    for (Message request : good(calls)) {
      bad.inCommon(request);
      bad.ofOne(request);
    }
    bad.rules(calls);
    bad.limits(calls);
    return bad.table;
  }

  private void inCommon(Message request) {
    table.inCommon(request);
    Descriptor type = request.getDescriptorForType();
    if (type.findFieldByName("domain") != null) {
      table.rows(request, "domain", "No Spaces", "-a", "x".repeat(129), "a}b");
    }
    if (type.findFieldByName("descriptors") != null) {
      descriptors(request, "descriptors");
    }
    if (type.findFieldByName("min_policy_version") != null) {
      table.rows(request, "min_policy_version", -1L);
    }
    if (type.findFieldByName("cost") != null) {
      table.rows(request, "cost", -1L, MOST + 1);
    }
    if (type.findFieldByName("holder") != null) {
      table.rows(request, "holder", texts(128));
    }
    if (type.findFieldByName("expected_version") != null) {
      table.rows(request, "expected_version", -1L);
    }
    if (type.findFieldByName("slot_id") != null) {
      table.rows(request, "slot_id", names(64));
    }
    if (type.findFieldByName("ttl") != null) {
      table.rows(request, "ttl", Durations.fromNanos(1), Durations.fromHours(2), NO_DURATION);
    }
  }

  private void descriptors(Message request, String path) {
    List<Message> many = new ArrayList<>();
    for (int i = 0; i < 17; i++) {
      many.addAll(LimitCalls.descriptors("k" + i, "v"));
    }
    table.rows(request, path, many);
    table.rows(request, path + "[0].key", names(64));
    table.rows(request, path + "[0].value", "x".repeat(257));
    Message twice =
        FieldPaths.with(request, path, LimitCalls.descriptors("user", "a", "team", "b"));
    table.rows(twice, path + "[1].key", "user");
  }

  private void ofOne(Message request) {
    if (request instanceof CheckManyRequest) {
      table.rows(request, "items", List.of(), items(101));
      descriptors(request, "items[0].descriptors");
      table.rows(request, "items[0].cost", -1L, MOST + 1);
      table.rows(FieldPaths.with(request, "all_or_nothing", true), "items[0].partial", true);
    } else if (request instanceof ReserveRequest) {
      table.rows(
          request, "max_wait", Durations.fromMillis(-1), Durations.fromHours(2), NO_DURATION);
    } else if (request instanceof SettleRequest) {
      table.rows(request, "reservation_id", names(64));
      table.rows(request, "actual_cost", -1L, MOST + 1);
    } else if (request instanceof LeaseBudgetRequest) {
      table.rows(request, "want", 0L, -1L, MOST + 1);
      table.rows(request, "return_lease_id", texts(64));
      table.rows(request, "return_unused", 1L);
      Message returns = FieldPaths.with(request, "return_lease_id", "l");
      table.rows(returns, "return_unused", -1L, MOST + 1);
    } else if (request instanceof ReturnBudgetRequest) {
      table.rows(request, "lease_id", names(64));
      table.rows(request, "unused", -1L, MOST + 1);
    } else if (request instanceof ListPoliciesRequest) {
      table.rows(request, "page_size", -1, 1001);
      table.rows(request, "page_token", "x", "99.a", "0", "1.a b", "1.".repeat(99), "0.\n");
    } else if (request instanceof WatchPoliciesRequest) {
      table.rows(request, "resume_token", "x", "w1.99.1", "w1.0.x", "w2.0.1", "x".repeat(33));
    } else if (request instanceof ResetKeyRequest) {
      table.rows(request, "rule", "No", "x".repeat(65), "a b");
      table.rows(request, "reason", names(256));
    }
  }

  private static List<CheckItem> items(int many) {
    List<CheckItem> items = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      items.add(CheckItem.getDefaultInstance());
    }
    return items;
  }

  private void rules(LimitCalls calls) {
    Message put = put(calls, rule());
    table.rows(put, "rules", List.of(), many(1001), large());
    table.rows(put, "rules[0].name", "", "Upper", "a b", "x".repeat(65));
    table.rows(put(calls, rule(), rule().setName("b")), "rules[1].name", "all");
    List<Message> matches = new ArrayList<>();
    for (int i = 0; i < 17; i++) {
      matches.add(dev.plinth.ratelimit.v1.Match.newBuilder().setKey("k" + i).build());
    }
    table.rows(put, "rules[0].match", matches);
    table.rows(put, "rules[0].match[0].key", names(64));
    table.rows(put, "rules[0].match[0].value", "x".repeat(257));
    table.rows(put, "rules[0].envoy.limit_name", texts(256));
    Struct large = Struct.newBuilder().putFields("a", Values.of("x".repeat(4096))).build();
    Struct notJson = Struct.newBuilder().putFields("a", Values.of(Double.NaN)).build();
    table.rows(put, "rules[0].envoy.metadata", large, notJson);
    table.rows(put, "rules[0].enforce_permille", -1, 1001);
    table.rows(put, "rules[0].fail_mode", 99);
    table.rows(put, "rules[0].safe_limit", -1L, MOST + 1);
    table.rows(put, "rules[0].on_change", 99);
    table.rows(put, "rules[0].lease.max_fraction_permille", -1, 1001);
    table.rows(
        put,
        "rules[0].lease.ttl",
        Durations.fromMillis(49),
        Durations.fromMillis(60_001),
        NO_DURATION);
    table.rows(put, "rules[0].lease.holders_hint", -1, 10_001);
    table.rows(put, "rules[0].lease.server_above_per_second", -1_000_000_001, 1_000_000_001);
    table.rows(
        put(calls, rule().clearLease().setShadow(true)),
        "rules[0].lease",
        LeaseRule.getDefaultInstance());
    Message slots = put(calls, LimitCalls.slots("places", 3));
    table.rows(slots, "rules[0].lease", LeaseRule.getDefaultInstance());
    table.rows(slots, "rules[0].shadow", true);
    table.rows(slots, "rules[0].enforce_permille", 500);
    table.rows(put(calls, rule().addReplaces("x")), "rules[0].replaces[0]", "all", "none");
    table.rows(
        put(calls, rule().addReplaces("b").addReplaces("x"), rule().setName("b")),
        "rules[0].replaces[1]",
        "b");
    table.rows(
        put(calls, rule().addReplaces("x"), rule().setName("b").addReplaces("all")),
        "rules[0].replaces[0]",
        "b");
  }

  /** Few, but more together than a row can hold. */
  private static List<Rule> large() {
    Struct most = Struct.newBuilder().putFields("a", Values.of("x".repeat(4000))).build();
    return many(150).stream()
        .map(rule -> rule.toBuilder().setEnvoy(EnvoyOptions.newBuilder().setMetadata(most)).build())
        .toList();
  }

  private static List<Rule> many(int count) {
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rules.add(rule().setName("r" + i).build());
    }
    return rules;
  }

  private void limits(LimitCalls calls) {
    Message put = put(calls, rule());
    table.rows(put, "rules[0].algorithm", 0, 99);
    table.rows(put, "rules[0].limit", 0L, -1L, MOST + 1);
    table.rows(
        put,
        "rules[0].period",
        FieldPaths.ABSENT,
        Durations.fromNanos(999_999),
        Durations.fromDays(367),
        NO_DURATION);
    table.rows(put, "rules[0].burst", -1L, MOST + 1);
    table.rows(put, "rules[0].calendar", 1);
    table.rows(put, "rules[0].zone", "UTC");
    Rule.Builder day = rule().setLimit(1000).setPeriod(Durations.fromDays(1));
    table.rows(put(calls, day), "rules[0].limit", 999_999_937L); // a fraction that is too fine
    table.rows(put(calls, day.setLimit(1)), "rules[0].burst", 999_999_999L);
    Rule.Builder counter = timed(Algorithm.ALGORITHM_SLIDING_COUNTER);
    table.rows(put(calls, counter), "rules[0].limit", 200_000_000L);
    table.rows(put(calls, counter), "rules[0].burst", 1L);
    table.rows(put(calls, timed(Algorithm.ALGORITHM_SLIDING_LOG)), "rules[0].limit", 101L);
    table.rows(put(calls, timed(Algorithm.ALGORITHM_PACED)), "rules[0].limit", 999_999_937L);
    Message slots = put(calls, LimitCalls.slots("places", 3));
    table.rows(slots, "rules[0].limit", 0L, 10_001L);
    table.rows(slots, "rules[0].period", Durations.fromSeconds(1));
    Message calendar =
        put(
            calls,
            timed(Algorithm.ALGORITHM_CALENDAR_WINDOW)
                .clearPeriod()
                .setCalendar(Calendar.CALENDAR_DAY));
    table.rows(calendar, "rules[0].calendar", 0, 99);
    table.rows(calendar, "rules[0].zone", "Nowhere/Town", "x".repeat(65), "a\nb");
    table.rows(calendar, "rules[0].period", Durations.fromSeconds(1));
    table.rows(calendar, "rules[0].limit", -1L, 1L << 32);
    Message window = put(calls, timed(Algorithm.ALGORITHM_FIXED_WINDOW));
    table.rows(window, "rules[0].limit", -1L, 1L << 32);
    Message unlimited = put(calls, unlimited());
    table.rows(unlimited, "rules[0].limit", 1L);
    table.rows(unlimited, "rules[0].period", Durations.fromSeconds(1));
    table.rows(unlimited, "rules[0].shadow", true);
    table.rows(unlimited, "rules[0].enforce_permille", 500);
    table.rows(unlimited, "rules[0].lease", LeaseRule.getDefaultInstance());
  }

  private static Rule.Builder unlimited() {
    return Rule.newBuilder().setName("free").setAlgorithm(Algorithm.ALGORITHM_UNLIMITED);
  }

  private static Rule.Builder timed(Algorithm algorithm) {
    return rule().clearBurst().setAlgorithm(algorithm).setPeriod(Durations.fromDays(1));
  }
}
