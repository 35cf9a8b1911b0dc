package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.BRIEF;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static dev.plinth.testkit.call.FieldTable.NO_DURATION;
import static dev.plinth.testkit.call.FieldTable.names;
import static dev.plinth.testkit.call.FieldTable.texts;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireSetItem;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireStreamRequest;
import dev.plinth.lease.v1.CampaignOnceRequest;
import dev.plinth.lease.v1.CampaignRequest;
import dev.plinth.lease.v1.CloseSessionRequest;
import dev.plinth.lease.v1.ConfirmRequest;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.GetFenceRequest;
import dev.plinth.lease.v1.GetLeaderRequest;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HistoryRequest;
import dev.plinth.lease.v1.KeepSessionRequest;
import dev.plinth.lease.v1.ListCandidatesRequest;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.ListWaitersRequest;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.ObserveRequest;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.ProclaimRequest;
import dev.plinth.lease.v1.RaiseFenceRequest;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.ResignRequest;
import dev.plinth.lease.v1.SemaphoreRule;
import dev.plinth.lease.v1.SetPolicyRequest;
import dev.plinth.lease.v1.TransferLeadershipRequest;
import dev.plinth.lease.v1.TransferRequest;
import dev.plinth.lease.v1.UpdatePayloadRequest;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.lease.v1.WatchRequest;
import dev.plinth.testkit.call.FieldPaths;
import dev.plinth.testkit.call.FieldTable;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Every field of every request, with values that it must not have. */
final class BadFields {
  /** Fields that are fine whatever they say, each with the reason. */
  static final Map<String, String> CANNOT_BE_BAD =
      Map.of("KeepSessionRequest.seq", "any number: it only comes back with the answer");

  private static final ByteString BIG = ByteString.copyFrom(new byte[4097]);
  private static final Duration NEGATIVE = Durations.fromMillis(-1);
  private static final Timestamp NO_TIME = Timestamp.newBuilder().setNanos(-1).build();
  private static final Object[] TTLS = {Durations.fromMillis(99), hours(2), NEGATIVE, NO_DURATION};
  private static final Object[] WAITS = {hours(2), NEGATIVE, NO_DURATION};
  private static final Object[] DELAYS = {Durations.fromMinutes(6), NEGATIVE, NO_DURATION};
  private static final Object[] TOKENS = {0L, -1L};
  private static final Object[] PRIORITIES = {-101, 101};

  private static final String TURNS_TEXT_AROUND = "a\u202eb";

  private final GoodRequests good;
  private final FieldTable table = new FieldTable();

  private BadFields(GoodRequests good) {
    this.good = good;
  }

  static FieldTable of(GoodRequests good) {
    BadFields fields = new BadFields(good);
    good.all().forEach(fields.table::inCommon);
    fields.sessions();
    fields.acquires();
    fields.sets();
    fields.holds();
    fields.keys();
    fields.operators();
    fields.policies();
    fields.elections();
    return fields.table;
  }

  private void sessions() {
    Message open = good.of(OpenSessionRequest.class).get(0);
    rows(open, "owner_id", names(128));
    rows(open, "ttl", TTLS);
    rows(open, "lock_delay", DELAYS);
    Message resume = good.of(OpenSessionRequest.class).get(1);
    rows(resume, "owner_id", "bob", "x".repeat(129));
    rows(resume, "ttl", LONG, NO_DURATION);
    rows(resume, "lock_delay", BRIEF, NO_DURATION);
    rows(resume, "resume_session_id", names(128));
    rows(resume, "resume_secret", names(64));
    for (var type :
        List.of(HeartbeatRequest.class, KeepSessionRequest.class, CloseSessionRequest.class)) {
      rows(type, "session_id", names(128));
    }
  }

  private void acquires() {
    for (var type : List.of(AcquireRequest.class, AcquireStreamRequest.class)) {
      rows(type, "key", names(256));
      rows(type, "key", TURNS_TEXT_AROUND);
      rows(type, "owner_id", names(128));
      rows(type, "owner_id", TURNS_TEXT_AROUND);
      rows(type, "session_id", texts(128));
      rows(type, "ttl", TTLS);
      rows(type, "wait", WAITS);
      rows(type, "mode", 99);
      rows(type, "priority", PRIORITIES);
      rows(type, "payload", BIG);
      rows(type, "lock_delay", DELAYS);
      rows(type, "weight", 1);
      Message ofSession = good.of(type).get(1);
      rows(ofSession, "ttl", LONG, NO_DURATION);
      rows(ofSession, "lock_delay", BRIEF, NO_DURATION);
      Message semaphore =
          FieldPaths.with(good.of(type).get(0), "mode", Mode.MODE_SEMAPHORE.getNumber());
      rows(semaphore, "weight", -1, 1_000_001);
    }
  }

  private void sets() {
    rows(AcquireRequest.class, "cancel", true);
    rows(AcquireSetRequest.class, "cancel", true);
    Message set = good.of(AcquireSetRequest.class).get(0);
    rows(set, "owner_id", names(128));
    rows(set, "session_id", texts(128));
    rows(set, "ttl", TTLS);
    rows(set, "wait", WAITS);
    rows(set, "items", List.of(), Collections.nCopies(33, AcquireSetItem.getDefaultInstance()));
    rows(set, "items[1].key", names(256));
    rows(set, "items[1].key", "free");
    rows(set, "items[1].mode", 99);
    rows(set, "items[1].weight", 1);
    rows(set, "priority", PRIORITIES);
    rows(set, "payload", BIG);
    rows(set, "lock_delay", DELAYS);
    Message ofSession = good.of(AcquireSetRequest.class).get(1);
    rows(ofSession, "ttl", LONG, NO_DURATION);
    rows(ofSession, "lock_delay", BRIEF, NO_DURATION);
  }

  private void holds() {
    rows(
        RenewRequest.class,
        "items",
        List.of(),
        Collections.nCopies(101, RenewItem.getDefaultInstance()));
    rows(RenewRequest.class, "items[0].key", names(256));
    rows(RenewRequest.class, "items[0].token", TOKENS);
    for (var type :
        List.of(
            ReleaseRequest.class,
            TransferRequest.class,
            ConfirmRequest.class,
            UpdatePayloadRequest.class)) {
      rows(type, "key", names(256));
      rows(type, "token", TOKENS);
    }
    rows(TransferRequest.class, "to_owner_id", names(128));
    rows(TransferRequest.class, "to_session_id", texts(128));
    rows(ConfirmRequest.class, "payload", BIG);
    rows(UpdatePayloadRequest.class, "payload", BIG);
    rows(UpdatePayloadRequest.class, "expected_version", -1L);
  }

  private void keys() {
    rows(ValidateRequest.class, "key", names(256));
    rows(ValidateRequest.class, "token", TOKENS);
    rows(RaiseFenceRequest.class, "resource", names(256));
    rows(RaiseFenceRequest.class, "token", TOKENS);
    rows(GetFenceRequest.class, "resource", names(256));
    rows(GetLeaseRequest.class, "key", names(256));
    rows(ListLeasesRequest.class, "key_prefix", texts(256));
    rows(ListLeasesRequest.class, "owner_id", texts(128));
    rows(ListLeasesRequest.class, "page_size", -1, 1001);
    rows(ListLeasesRequest.class, "page_token", "x", "l1.1", "l".repeat(1000), "l\n");
    rows(ListWaitersRequest.class, "key", names(256));
    rows(WatchRequest.class, "key_prefix", texts(256));
  }

  private void operators() {
    rows(HistoryRequest.class, "key", texts(256));
    rows(HistoryRequest.class, "key_prefix", texts(256));
    rows(HistoryRequest.class, "owner_id", texts(128));
    rows(HistoryRequest.class, "from", NO_TIME);
    rows(HistoryRequest.class, "to", NO_TIME);
    rows(HistoryRequest.class, "page_size", -1, 1001);
    rows(HistoryRequest.class, "page_token", "x", "h1.1", "h".repeat(1000), "h\n");
    rows(ForceReleaseRequest.class, "key", names(256));
    rows(ForceReleaseRequest.class, "token", TOKENS);
    rows(ForceReleaseRequest.class, "reason", names(256));
    rows(ForceReleaseRequest.class, "grace", hours(2), NEGATIVE, NO_DURATION);
    rows(ForceReleaseRequest.class, "actor", texts(128));
  }

  private void policies() {
    Message set = good.of(SetPolicyRequest.class).get(0);
    rows(set, "policy", FieldPaths.ABSENT);
    rows(set, "expected_version", -1L);
    rows(set, "policy.min_ttl", TTLS);
    rows(set, "policy.max_ttl", TTLS);
    rows(FieldPaths.with(set, "policy.min_ttl", LONG), "policy.max_ttl", BRIEF);
    rows(set, "policy.default_ttl", TTLS);
    rows(FieldPaths.with(set, "policy.min_ttl", LONG), "policy.default_ttl", BRIEF);
    rows(set, "policy.max_wait", WAITS);
    rows(set, "policy.max_lock_delay", DELAYS);
    rows(set, "policy.default_lock_delay", DELAYS);
    rows(FieldPaths.with(set, "policy.max_lock_delay", BRIEF), "policy.default_lock_delay", LONG);
    rows(set, "policy.max_priority", PRIORITIES);
    for (String field : List.of("leases", "sessions")) {
      rows(set, "policy.max_" + field, -1, 1_000_001);
    }
    for (String field : List.of("waiters", "fences", "elections")) {
      rows(set, "policy.max_" + field, -1, 100_001);
    }
    rows(set, "policy.max_waiters_per_key", -1, 10_001);
    rows(set, "policy.max_waiters_per_owner", -1, 10_001);
    rows(set, "policy.max_acquires_per_second", -1);
    List<SemaphoreRule> many = Collections.nCopies(1001, SemaphoreRule.getDefaultInstance());
    rows(set, "policy.semaphores", many);
    rows(set, "policy.semaphores[1].key_prefix", texts(256));
    rows(set, "policy.semaphores[1].key_prefix", "a");
    rows(set, "policy.semaphores[1].capacity", 0, -1, 1_000_001);
  }

  private void elections() {
    for (var type :
        List.of(
            CampaignRequest.class,
            CampaignOnceRequest.class,
            ProclaimRequest.class,
            ResignRequest.class,
            TransferLeadershipRequest.class,
            GetLeaderRequest.class,
            ObserveRequest.class,
            ListCandidatesRequest.class)) {
      rows(type, "election", names(200));
    }
    for (var type : List.of(CampaignRequest.class, CampaignOnceRequest.class)) {
      rows(type, "candidate_id", names(128));
      rows(type, "session_id", names(128));
      rows(type, "value", BIG);
      rows(type, "priority", PRIORITIES);
    }
    rows(CampaignOnceRequest.class, "wait", WAITS);
    for (var type :
        List.of(ProclaimRequest.class, ResignRequest.class, TransferLeadershipRequest.class)) {
      rows(type, "token", TOKENS);
    }
    rows(ProclaimRequest.class, "value", BIG);
    rows(TransferLeadershipRequest.class, "to_candidate_id", names(128));
  }

  private void rows(Class<? extends Message> type, String path, Object... values) {
    rows(good.of(type).get(0), path, values);
  }

  private void rows(Message request, String path, Object... values) {
    table.rows(request, path, values);
  }

  private static Duration hours(int hours) {
    return Durations.fromHours(hours);
  }
}
