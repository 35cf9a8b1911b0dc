package dev.plinth.lease.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireStreamRequest;
import dev.plinth.lease.v1.AcquireStreamResponse;
import dev.plinth.lease.v1.CampaignRequest;
import dev.plinth.lease.v1.CampaignResponse;
import dev.plinth.lease.v1.CloseSessionRequest;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.ElectionServiceGrpc.ElectionServiceBlockingStub;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.GetLeaseResponse;
import dev.plinth.lease.v1.HistoryEntry;
import dev.plinth.lease.v1.HistoryRequest;
import dev.plinth.lease.v1.HistoryResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.lease.v1.Policy;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.SetPolicyRequest;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.GenericCaller;
import dev.plinth.testkit.call.RecordedStream;
import io.grpc.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The calls of one test, in a namespace of its own. */
final class LeaseCalls {
  static final String KEY = "printer";
  static final Duration LONG = Durations.fromMinutes(5);
  static final Duration BRIEF = Durations.fromMillis(100);
  static final GenericCaller ANY =
      new GenericCaller(
          LeaseServiceGrpc.getServiceDescriptor(), ElectionServiceGrpc.getServiceDescriptor());
  private static final AtomicInteger TESTS = new AtomicInteger();

  final String namespace = "t" + TESTS.incrementAndGet();
  private final ShardServer server;

  LeaseCalls(ShardServer server) {
    this.server = server;
  }

  /** Anew after each restart of the server. */
  Channel channel() {
    return server.channel();
  }

  LeaseServiceBlockingStub leases() {
    return LeaseServiceGrpc.newBlockingStub(channel());
  }

  ElectionServiceBlockingStub elections() {
    return ElectionServiceGrpc.newBlockingStub(channel());
  }

  AcquireRequest.Builder wish(String owner) {
    return AcquireRequest.newBuilder().setNamespace(namespace).setKey(KEY).setOwnerId(owner);
  }

  AcquireResponse acquire(String owner) {
    return leases().acquire(wish(owner).setTtl(LONG).build());
  }

  /** A wish that must be granted. */
  Lease grant(String owner) {
    return grant(wish(owner).setTtl(LONG));
  }

  Lease grant(AcquireRequest.Builder spec) {
    AcquireResponse answer = leases().acquire(spec.build());
    assertEquals(AcquireResponse.Outcome.OUTCOME_GRANTED, answer.getOutcome());
    return answer.getLease();
  }

  ReleaseResponse.Outcome release(Lease lease) {
    return leases()
        .release(
            ReleaseRequest.newBuilder()
                .setNamespace(namespace)
                .setKey(lease.getKey())
                .setToken(lease.getToken())
                .build())
        .getOutcome();
  }

  ForceReleaseRequest.Builder force(String key) {
    return ForceReleaseRequest.newBuilder()
        .setNamespace(namespace)
        .setKey(key)
        .setActor("olga")
        .setReason("maintenance");
  }

  GetLeaseResponse key() {
    return key(KEY);
  }

  GetLeaseResponse key(String key) {
    return leases()
        .getLease(GetLeaseRequest.newBuilder().setNamespace(namespace).setKey(key).build());
  }

  AcquireStreamRequest.Builder streamWish(String owner) {
    return AcquireStreamRequest.newBuilder().setNamespace(namespace).setKey(KEY).setOwnerId(owner);
  }

  RecordedStream<AcquireStreamRequest, AcquireStreamResponse> stream(
      AcquireStreamRequest.Builder spec) {
    RecordedStream<AcquireStreamRequest, AcquireStreamResponse> recordedStream =
        new RecordedStream<>();
    LeaseServiceGrpc.newStub(channel()).acquireStream(spec.build(), recordedStream);
    return recordedStream;
  }

  OpenSessionRequest.Builder opening(String owner) {
    return OpenSessionRequest.newBuilder().setNamespace(namespace).setOwnerId(owner);
  }

  OpenSessionResponse open(OpenSessionRequest.Builder request) {
    return leases().openSession(request.build());
  }

  /** The id of a session that outlives the test. */
  String session(String owner) {
    return open(opening(owner).setTtl(LONG)).getSessionId();
  }

  int close(String session) {
    return leases()
        .closeSession(
            CloseSessionRequest.newBuilder().setNamespace(namespace).setSessionId(session).build())
        .getReleased();
  }

  CampaignRequest.Builder candidacy(String election, String candidate, String session) {
    return CampaignRequest.newBuilder()
        .setNamespace(namespace)
        .setElection(election)
        .setCandidateId(candidate)
        .setSessionId(session);
  }

  RecordedStream<CampaignRequest, CampaignResponse> campaign(CampaignRequest.Builder candidacy) {
    RecordedStream<CampaignRequest, CampaignResponse> recordedStream = new RecordedStream<>();
    ElectionServiceGrpc.newStub(channel()).campaign(candidacy.build(), recordedStream);
    return recordedStream;
  }

  long policy(Policy.Builder policy) {
    return leases()
        .setPolicy(SetPolicyRequest.newBuilder().setNamespace(namespace).setPolicy(policy).build())
        .getVersion();
  }

  HistoryRequest.Builder historyOf(String key) {
    return HistoryRequest.newBuilder().setNamespace(namespace).setKey(key);
  }

  /** Every page of it. */
  List<HistoryEntry> history(HistoryRequest.Builder request) {
    List<HistoryEntry> all = new ArrayList<>();
    HistoryResponse page;
    do {
      page = leases().history(request.build());
      all.addAll(page.getEntriesList());
      request.setPageToken(page.getNextPageToken());
    } while (!page.getNextPageToken().isEmpty());
    return all;
  }

  static <T> CompletableFuture<T> async(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, task -> new Thread(task).start());
  }

  static <T> T get(CompletableFuture<T> call) throws Exception {
    return call.get(30, TimeUnit.SECONDS);
  }
}
