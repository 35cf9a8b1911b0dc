package dev.plinth.config.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.Durations;
import dev.plinth.config.v1.AbortRolloutRequest;
import dev.plinth.config.v1.Ack;
import dev.plinth.config.v1.AckState;
import dev.plinth.config.v1.AdvanceRolloutRequest;
import dev.plinth.config.v1.Assignment;
import dev.plinth.config.v1.ConfigDistributionServiceGrpc;
import dev.plinth.config.v1.ConfigRevision;
import dev.plinth.config.v1.ConfigServiceGrpc;
import dev.plinth.config.v1.ConfigServiceGrpc.ConfigServiceBlockingStub;
import dev.plinth.config.v1.GetConfigRequest;
import dev.plinth.config.v1.GetRolloutRequest;
import dev.plinth.config.v1.Hello;
import dev.plinth.config.v1.Phase;
import dev.plinth.config.v1.PutConfigRequest;
import dev.plinth.config.v1.RevisionTarget;
import dev.plinth.config.v1.Rollout;
import dev.plinth.config.v1.Stage;
import dev.plinth.config.v1.StartRolloutRequest;
import dev.plinth.config.v1.SyncRequest;
import dev.plinth.config.v1.SyncResponse;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.GenericCaller;
import dev.plinth.testkit.call.RecordedStream;
import io.grpc.stub.StreamObserver;
import java.util.UUID;

/** Calls of one test, in a namespace of its own. */
final class ConfigCalls {
  static final GenericCaller ANY =
      new GenericCaller(
          ConfigServiceGrpc.getServiceDescriptor(),
          ConfigDistributionServiceGrpc.getServiceDescriptor());
  static final String LIMITS = "limits";

  final String namespace = "c-" + UUID.randomUUID().toString().substring(0, 12);
  private final ShardServer server;

  ConfigCalls(ShardServer server) {
    this.server = server;
  }

  ConfigServiceBlockingStub configs() {
    return ConfigServiceGrpc.newBlockingStub(server.channel());
  }

  ConfigDistributionServiceGrpc.ConfigDistributionServiceBlockingStub distribution() {
    return ConfigDistributionServiceGrpc.newBlockingStub(server.channel());
  }

  PutConfigRequest.Builder putting(long expected, String content) {
    return PutConfigRequest.newBuilder()
        .setNamespace(namespace)
        .setConfig(LIMITS)
        .setExpectedRevision(expected)
        .setContent(ByteString.copyFromUtf8(content))
        .setContentType("application/json")
        .setActor("olga");
  }

  ConfigRevision put(long expected, String content) {
    return configs().putConfig(putting(expected, content).build()).getRevision();
  }

  ConfigRevision get(long revision) {
    return configs()
        .getConfig(
            GetConfigRequest.newBuilder()
                .setNamespace(namespace)
                .setConfig(LIMITS)
                .setRevision(revision)
                .build())
        .getRevision();
  }

  static Stage percent(double percent, long bakeSeconds) {
    return Stage.newBuilder()
        .setPercent(percent)
        .setBake(Durations.fromSeconds(bakeSeconds))
        .build();
  }

  StartRolloutRequest.Builder starting(long revision, Stage... stages) {
    return StartRolloutRequest.newBuilder()
        .setNamespace(namespace)
        .addTargets(RevisionTarget.newBuilder().setConfig(LIMITS).setRevision(revision))
        .addAllStages(java.util.List.of(stages))
        .setActor("olga");
  }

  Rollout start(long revision, Stage... stages) {
    return configs().startRollout(starting(revision, stages).build()).getRollout();
  }

  /** To all agents at once, and waits until that is done. */
  void establish(long revision) {
    start(revision, percent(100, 0));
    awaitPhase(Phase.PHASE_DONE);
  }

  Rollout rollout() {
    return configs()
        .getRollout(GetRolloutRequest.newBuilder().setNamespace(namespace).setGroup(LIMITS).build())
        .getRollout();
  }

  Rollout awaitPhase(Phase phase) {
    Await.until("rollout is " + phase, () -> rollout().getPhase() == phase);
    return rollout();
  }

  AdvanceRolloutRequest.Builder advancing(long generation) {
    return AdvanceRolloutRequest.newBuilder()
        .setNamespace(namespace)
        .setGroup(LIMITS)
        .setGeneration(generation)
        .setActor("olga");
  }

  AbortRolloutRequest.Builder aborting(long generation) {
    return AbortRolloutRequest.newBuilder()
        .setNamespace(namespace)
        .setGroup(LIMITS)
        .setGeneration(generation)
        .setActor("olga");
  }

  Hello.Builder hello(String agent) {
    return Hello.newBuilder().setAgent(agent).addConfigs(LIMITS);
  }

  SyncStub sync(String agent) {
    return sync(hello(agent).build());
  }

  SyncStub sync(Hello hello) {
    SyncStub stub = new SyncStub();
    stub.requests.onNext(SyncRequest.newBuilder().setNamespace(namespace).setHello(hello).build());
    return stub;
  }

  /** One stream of an agent. */
  final class SyncStub {
    final RecordedStream<SyncRequest, SyncResponse> said = new RecordedStream<>();
    final StreamObserver<SyncRequest> requests =
        ConfigDistributionServiceGrpc.newStub(server.channel()).sync(said);

    Assignment assignment() {
      return said.next(SyncResponse::hasAssignment).getAssignment();
    }

    /** The content of a snapshot, from its chunks, which must follow each other. */
    byte[] content() {
      ByteString content = ByteString.EMPTY;
      boolean last = false;
      while (!last) {
        SyncResponse next = said.next();
        if (!next.hasChunk() || next.getChunk().getOffset() != content.size()) {
          throw new AssertionError("not the next chunk: " + next);
        }
        content = content.concat(next.getChunk().getData());
        last = next.getChunk().getLast();
      }
      return content.toByteArray();
    }

    void bookmark() {
      said.next(SyncResponse::hasBookmark);
    }

    void applied(Assignment assignment) {
      ack(assignment, AckState.ACK_STATE_APPLIED, "");
    }

    void ack(Assignment assignment, AckState state, String error) {
      requests.onNext(
          SyncRequest.newBuilder()
              .setNamespace(namespace)
              .setAck(
                  Ack.newBuilder()
                      .setGroup(assignment.getGroup())
                      .setEpoch(assignment.getEpoch())
                      .setGeneration(assignment.getGeneration())
                      .setState(state)
                      .setError(error))
              .build());
    }
  }
}
