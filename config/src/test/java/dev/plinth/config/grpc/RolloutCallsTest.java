package dev.plinth.config.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.config.v1.ConfigServiceGrpc;
import dev.plinth.config.v1.GetRolloutRequest;
import dev.plinth.config.v1.PauseRolloutRequest;
import dev.plinth.config.v1.Phase;
import dev.plinth.config.v1.ResumeRolloutRequest;
import dev.plinth.config.v1.RevisionTarget;
import dev.plinth.config.v1.RollbackRequest;
import dev.plinth.config.v1.Rollout;
import dev.plinth.config.v1.Stage;
import dev.plinth.config.v1.StartRolloutRequest;
import dev.plinth.config.v1.WatchRolloutRequest;
import dev.plinth.config.v1.WatchRolloutResponse;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.RecordedStream;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What operators do with rollouts. */
@OnEachStore(ConfigWiring.class)
class RolloutCallsTest {
  @Parameter ShardServer server;
  private ConfigCalls calls;

  @BeforeEach
  void begin() {
    calls = new ConfigCalls(server);
    calls.put(0, "{}");
    calls.put(1, "{\"a\": 1}");
  }

  @Test
  void rollout_showsItsPlan_andSurvivesARestart() {
    StartRolloutRequest request =
        calls
            .starting(
                2,
                Stage.newBuilder().setCount(3).setManual(true).build(),
                ConfigCalls.percent(12.5, 0),
                ConfigCalls.percent(100, 7))
            .setRequestId("once")
            .setComment("because")
            .build();
    Rollout started = calls.configs().startRollout(request).getRollout();
    assertEquals(3, started.getStages(0).getCount());
    assertEquals(Durations.fromSeconds(60), started.getStages(0).getBake());
    assertTrue(started.getStages(0).getManual());
    assertEquals(12.5, started.getStages(1).getPercent());
    assertEquals(Durations.fromSeconds(30), started.getGates().getAckTimeout());
    assertEquals("started: because", started.getLog(0).getText());
    assertEquals("olga", started.getLog(0).getActor());
    server.restart();
    Rollout after = calls.rollout();
    assertEquals(started.getStagesList(), after.getStagesList());
    assertEquals(started.getGates(), after.getGates());
    assertEquals(started.getTargetsList(), after.getTargetsList());
    assertEquals(started, calls.configs().startRollout(request).getRollout());
  }

  @Test
  void secondRollout_isRefused_whileOneIsUnderWay() {
    calls.start(1, ConfigCalls.percent(100, 600));
    Refusal.of(() -> calls.start(2, ConfigCalls.percent(100, 0)))
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ROLLOUT_ACTIVE);
    Refusal.of(
            () -> calls.configs().startRollout(calls.starting(2).setExpectedGeneration(0).build()))
        .is(Status.Code.ABORTED, ErrorReason.ERROR_REASON_REVISION_CONFLICT);
  }

  @Test
  void pauseResumeAdvance_areForTheRolloutThatIsNamed() {
    Rollout started = calls.start(1, ConfigCalls.percent(50, 600), ConfigCalls.percent(100, 600));
    PauseRolloutRequest pause =
        PauseRolloutRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setGroup(ConfigCalls.LIMITS)
            .setGeneration(started.getGeneration())
            .setActor("olga")
            .setComment("lunch")
            .build();
    Rollout paused = calls.configs().pauseRollout(pause).getRollout();
    assertEquals(Phase.PHASE_PAUSED, paused.getPhase());
    assertEquals("paused: lunch", paused.getReason());
    Refusal.of(
            () -> calls.configs().advanceRollout(calls.advancing(started.getGeneration()).build()))
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ROLLOUT_OVER);
    Rollout resumed =
        calls
            .configs()
            .resumeRollout(
                ResumeRolloutRequest.newBuilder()
                    .setNamespace(calls.namespace)
                    .setGroup(ConfigCalls.LIMITS)
                    .setGeneration(started.getGeneration())
                    .setExpectedVersion(paused.getVersion())
                    .setActor("olga")
                    .build())
            .getRollout();
    assertEquals(Phase.PHASE_RUNNING, resumed.getPhase());
    Rollout advanced =
        calls
            .configs()
            .advanceRollout(calls.advancing(started.getGeneration()).build())
            .getRollout();
    assertEquals(1, advanced.getStage());
    Rollout done =
        calls
            .configs()
            .advanceRollout(calls.advancing(started.getGeneration()).build())
            .getRollout();
    assertEquals(Phase.PHASE_DONE, done.getPhase());
    Refusal.of(
            () -> calls.configs().advanceRollout(calls.advancing(started.getGeneration()).build()))
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ROLLOUT_OVER);
    Refusal.of(() -> calls.configs().advanceRollout(calls.advancing(99).build()))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_ROLLOUT_UNKNOWN);
  }

  @Test
  void rollback_goesToAllAtOnce_unlessItIsStaged() {
    calls.establish(2);
    RollbackRequest.Builder back =
        RollbackRequest.newBuilder()
            .setNamespace(calls.namespace)
            .addTargets(RevisionTarget.newBuilder().setConfig(ConfigCalls.LIMITS).setRevision(1))
            .setActor("olga");
    Rollout rollout = calls.configs().rollback(back.build()).getRollout();
    assertEquals(100, rollout.getStages(0).getPercent());
    assertEquals(2, rollout.getGeneration());
    calls.awaitPhase(Phase.PHASE_DONE);
    Rollout staged = calls.configs().rollback(back.setStaged(true).build()).getRollout();
    assertEquals(4, staged.getStagesCount());
    assertEquals(
        2,
        calls
            .configs()
            .getRollout(
                GetRolloutRequest.newBuilder()
                    .setNamespace(calls.namespace)
                    .setGroup(ConfigCalls.LIMITS)
                    .setGeneration(2)
                    .build())
            .getRollout()
            .getGeneration());
  }

  @Test
  void watch_tellsOfEveryPhase_andResumes() {
    RecordedStream<WatchRolloutRequest, WatchRolloutResponse> watch = watch("");
    WatchRolloutResponse snapshot = watch.next(WatchRolloutResponse::hasSnapshot);
    assertEquals(0, snapshot.getSnapshot().getRolloutsCount());
    Rollout started = calls.start(1, ConfigCalls.percent(50, 600), ConfigCalls.percent(100, 600));
    WatchRolloutResponse event = watch.next(WatchRolloutResponse::hasEvents);
    assertEquals(Phase.PHASE_RUNNING, event.getEvents().getRollouts(0).getPhase());
    watch.cancel();
    calls.configs().abortRollout(calls.aborting(started.getGeneration()).build());
    RecordedStream<WatchRolloutRequest, WatchRolloutResponse> resumed =
        watch(event.getResumeToken());
    WatchRolloutResponse last =
        resumed.next(
            each ->
                each.hasEvents()
                    && each.getEvents().getRolloutsList().stream()
                        .anyMatch(rollout -> rollout.getPhase() == Phase.PHASE_ABORTED));
    assertEquals(0, last.getEvents().getRollouts(0).getLogCount());
    assertEquals(
        Phase.PHASE_ABORTED,
        watch("").next(WatchRolloutResponse::hasSnapshot).getSnapshot().getRollouts(0).getPhase());
  }

  private RecordedStream<WatchRolloutRequest, WatchRolloutResponse> watch(String resume) {
    RecordedStream<WatchRolloutRequest, WatchRolloutResponse> stream = new RecordedStream<>();
    ConfigServiceGrpc.newStub(server.channel())
        .watchRollout(
            WatchRolloutRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setGroup(ConfigCalls.LIMITS)
                .setResumeToken(resume)
                .build(),
            stream);
    return stream;
  }
}
