package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceStub;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResult;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.lease.v1.ValidateResponse;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * V12: an owner that was paused past its session finds, when it wakes, calls that came meanwhile.
 * It must neither renew what it once granted nor change anything. What it answers by asking the new
 * owner is fine.
 */
class DeposedOwnerTest {
  private static final int CALLS = 40;

  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  @TempDir Path directory;

  @Test
  void V12_deposedOwner_renewsNothingAndCommitsNothing() throws Exception {
    try (FaultProxy toEtcd =
            FaultProxy.to(ETCD.address().getHostString(), ETCD.address().getPort());
        JavaProcess first = start(toEtcd.address());
        JavaProcess second = start(ETCD.hostPorts())) {
      ManagedChannel toFirst = channel(first);
      ManagedChannel toSecond = channel(second);
      try {
        LeaseServiceBlockingStub before = LeaseServiceGrpc.newBlockingStub(toFirst);
        AcquireResponse old = before.acquire(request("ann", "a"));
        assertEquals(Outcome.OUTCOME_GRANTED, old.getOutcome());

        toEtcd.halfOpen(); // so that its clock alone can tell the first that it was deposed
        first.signal("STOP");
        LeaseServiceBlockingStub after = LeaseServiceGrpc.newBlockingStub(toSecond);
        Await.until("the second node serves", () -> held(after, old));
        after.release(release(old.getLease().getToken(), "r"));
        AcquireResponse current = after.acquire(request("bob", "b"));
        assertEquals(Outcome.OUTCOME_GRANTED, current.getOutcome());

        Late late = new Late(toFirst, old.getLease().getToken());
        first.signal("CONT");
        late.check();
        assertTrue(held(after, current), "nothing that the first did was committed");
        assertTrue(current.getLease().getToken() > old.getLease().getToken());
      } finally {
        toFirst.shutdownNow();
        toSecond.shutdownNow();
      }
    }
  }

  /** Calls that wait in the first node's sockets. */
  private static final class Late {
    private final List<RenewResult.State> renewals = new CopyOnWriteArrayList<>();
    private final List<ValidateResponse.Outcome> questions = new CopyOnWriteArrayList<>();
    private final List<Outcome> specs = new CopyOnWriteArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(3 * CALLS);

    Late(ManagedChannel channel, long token) {
      LeaseServiceStub stub =
          LeaseServiceGrpc.newStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
      for (int i = 0; i < CALLS; i++) {
        stub.renew(renew(token), into(renewals, r -> r.getResults(0).getState()));
        stub.validate(validate(token), into(questions, ValidateResponse::getOutcome));
        stub.acquire(request("cid", "c" + i), into(specs, AcquireResponse::getOutcome));
      }
    }

    private <R, O> StreamObserver<R> into(List<O> answers, Function<R, O> reading) {
      return new StreamObserver<>() {
        @Override
        public void onNext(R answer) {
          answers.add(reading.apply(answer));
        }

        @Override
        public void onError(Throwable thrown) {
          ended.countDown();
        }

        @Override
        public void onCompleted() {
          ended.countDown();
        }
      };
    }

    void check() throws InterruptedException {
      assertTrue(ended.await(30, TimeUnit.SECONDS));
      assertFalse(renewals.contains(RenewResult.State.STATE_RENEWED), renewals::toString);
      assertFalse(questions.contains(ValidateResponse.Outcome.OUTCOME_VALID), questions::toString);
      specs.forEach(outcome -> assertNotEquals(Outcome.OUTCOME_GRANTED, outcome));
    }
  }

  private static AcquireRequest request(String owner, String requestId) {
    return AcquireRequest.newBuilder()
        .setKey("printer")
        .setOwnerId(owner)
        .setTtl(Durations.fromHours(1))
        .setRequestId(requestId)
        .build();
  }

  private static ReleaseRequest release(long token, String requestId) {
    return ReleaseRequest.newBuilder()
        .setKey("printer")
        .setToken(token)
        .setRequestId(requestId)
        .build();
  }

  private static RenewRequest renew(long token) {
    RenewItem item = RenewItem.newBuilder().setKey("printer").setToken(token).build();
    return RenewRequest.newBuilder().addItems(item).build();
  }

  private static ValidateRequest validate(long token) {
    return ValidateRequest.newBuilder().setKey("printer").setToken(token).build();
  }

  private static boolean held(LeaseServiceBlockingStub stub, AcquireResponse lease) {
    try {
      return stub.withDeadlineAfter(2, TimeUnit.SECONDS)
              .validate(validate(lease.getLease().getToken()))
              .getOutcome()
          == ValidateResponse.Outcome.OUTCOME_VALID;
    } catch (StatusRuntimeException e) {
      return false;
    }
  }

  private JavaProcess start(String etcd) {
    JavaProcess plinth =
        JavaProcess.start(
            directory,
            PlinthMain.class,
            "--port=0",
            "--admin-port=0",
            "--coordination=etcd://" + etcd,
            "--etcd.prefix=/deposed/",
            "--etcd.session-ttl=2s",
            "--etcd.authority-margin=300ms",
            "--etcd.request-timeout=1s");
    plinth.awaitLine("is ready");
    return plinth;
  }

  private static ManagedChannel channel(JavaProcess plinth) {
    int port = Integer.parseInt(plinth.awaitLine("gRPC on [^:]+:(\\d+)").group(1));
    return ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }
}
