package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.BRIEF;
import static dev.plinth.lease.grpc.LeaseCalls.KEY;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
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
import dev.plinth.lease.v1.GetPolicyRequest;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HistoryRequest;
import dev.plinth.lease.v1.KeepSessionRequest;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.ListCandidatesRequest;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.ListWaitersRequest;
import dev.plinth.lease.v1.ObserveRequest;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.lease.v1.Policy;
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
import java.util.List;
import java.util.stream.Stream;

/** For each call a request that is fine and, where it can, has an effect. */
final class GoodRequests {
  static final String ELECTION = "boss";

  private final String namespace;
  private final OpenSessionResponse session;
  private final Lease held;
  private final Lease leader;

  /** In a namespace where a key is held, an election has a leader, and a session has neither. */
  GoodRequests(LeaseCalls calls) {
    namespace = calls.namespace;
    session = calls.open(calls.opening("ann").setTtl(LONG));
    held = calls.grant("ann");
    leader =
        calls.grant(
            calls.wish("ann").setKey("election/" + ELECTION).setSessionId(calls.session("ann")));
  }

  List<Message> all() {
    return Stream.of(sessions(), acquires(), holds(), keys(), operators(), elections())
        .flatMap(List::stream)
        .map(this::inNamespace)
        .toList();
  }

  /** Those of one type; the first is the plain one. */
  List<Message> of(Class<? extends Message> type) {
    return all().stream().filter(type::isInstance).toList();
  }

  private Message inNamespace(Message.Builder request) {
    FieldDescriptor field = request.getDescriptorForType().findFieldByName("namespace");
    return request.setField(field, namespace).build();
  }

  private List<Message.Builder> sessions() {
    return List.of(
        OpenSessionRequest.newBuilder().setOwnerId("ann").setTtl(LONG).setLockDelay(BRIEF),
        OpenSessionRequest.newBuilder()
            .setResumeSessionId(session.getSessionId())
            .setResumeSecret(session.getResumeSecret()),
        HeartbeatRequest.newBuilder().setSessionId(session.getSessionId()),
        KeepSessionRequest.newBuilder().setSessionId(session.getSessionId()).setSeq(1),
        CloseSessionRequest.newBuilder().setSessionId(session.getSessionId()));
  }

  private List<Message.Builder> acquires() {
    AcquireRequest.Builder acquire = AcquireRequest.newBuilder().setKey("free").setOwnerId("bob");
    AcquireStreamRequest.Builder stream =
        AcquireStreamRequest.newBuilder().setKey("free").setOwnerId("bob");
    AcquireSetRequest.Builder set =
        AcquireSetRequest.newBuilder()
            .setOwnerId("bob")
            .addItems(AcquireSetItem.newBuilder().setKey("free"))
            .addItems(AcquireSetItem.newBuilder().setKey("free too"));
    return List.of(
        acquire,
        acquire.clone().setSessionId(session.getSessionId()),
        stream,
        stream.clone().setSessionId(session.getSessionId()),
        set,
        set.clone().setSessionId(session.getSessionId()));
  }

  private List<Message.Builder> holds() {
    long token = held.getToken();
    return List.of(
        RenewRequest.newBuilder().addItems(RenewItem.newBuilder().setKey(KEY).setToken(token)),
        ReleaseRequest.newBuilder().setKey(KEY).setToken(token),
        TransferRequest.newBuilder()
            .setKey(KEY)
            .setToken(token)
            .setToOwnerId("bob")
            .setToSessionId(session.getSessionId()),
        ConfirmRequest.newBuilder().setKey(KEY).setToken(token),
        UpdatePayloadRequest.newBuilder().setKey(KEY).setToken(token).setPayload(text("x")));
  }

  private List<Message.Builder> keys() {
    return List.of(
        ValidateRequest.newBuilder().setKey(KEY).setToken(held.getToken()),
        RaiseFenceRequest.newBuilder().setResource("disk").setToken(held.getToken()),
        GetFenceRequest.newBuilder().setResource("disk"),
        GetLeaseRequest.newBuilder().setKey(KEY),
        ListLeasesRequest.newBuilder(),
        ListWaitersRequest.newBuilder().setKey(KEY),
        WatchRequest.newBuilder());
  }

  private static List<Message.Builder> operators() {
    SemaphoreRule.Builder rule = SemaphoreRule.newBuilder().setCapacity(1);
    return List.of(
        HistoryRequest.newBuilder(),
        ForceReleaseRequest.newBuilder().setKey(KEY).setReason("test"),
        SetPolicyRequest.newBuilder()
            .setPolicy(
                Policy.newBuilder()
                    .addSemaphores(rule.clone().setKeyPrefix("a"))
                    .addSemaphores(rule.clone().setKeyPrefix("b"))),
        GetPolicyRequest.newBuilder());
  }

  private List<Message.Builder> elections() {
    long token = leader.getToken();
    return List.of(
        CampaignRequest.newBuilder()
            .setElection("free")
            .setCandidateId("ann")
            .setSessionId(session.getSessionId()),
        CampaignOnceRequest.newBuilder()
            .setElection("free")
            .setCandidateId("ann")
            .setSessionId(session.getSessionId()),
        ProclaimRequest.newBuilder().setElection(ELECTION).setToken(token).setValue(text("x")),
        ResignRequest.newBuilder().setElection(ELECTION).setToken(token),
        TransferLeadershipRequest.newBuilder()
            .setElection(ELECTION)
            .setToken(token)
            .setToCandidateId("bob"),
        GetLeaderRequest.newBuilder().setElection(ELECTION),
        ObserveRequest.newBuilder().setElection(ELECTION),
        ListCandidatesRequest.newBuilder().setElection(ELECTION));
  }

  private static ByteString text(String text) {
    return ByteString.copyFromUtf8(text);
  }
}
