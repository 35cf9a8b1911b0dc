package dev.plinth.simulation.workload;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.Mode;
import io.grpc.Status;
import java.util.SplittableRandom;

/** Uses a request id once more for another request, which must be refused and take nothing. */
final class ReusedIdClient {
  private static final String NAMESPACE = "reused";

  private final WireClient client;
  private SplittableRandom random;

  ReusedIdClient(WireClient client) {
    this.client = client;
    this.random = client.random();
  }

  void start() {
    if (client.log().isOver()) {
      return;
    }
    boolean present = client.beginTurn();
    random = client.turnRandom();
    if (!present) {
      again();
      return;
    }
    String id = client.newRequestId();
    acquire(
        request(id, id),
        new RetriedRequest.Ending<>() {
          @Override
          public void answered(AcquireResponse answer) {
            client.after(random.nextLong(5000), () -> reuse(id));
          }

          @Override
          public void failed(CallFailure failure, boolean none) {
            again();
          }
        });
  }

  private void reuse(String id) {
    acquire(
        request(id, "other-" + id),
        new RetriedRequest.Ending<>() {
          @Override
          public void answered(AcquireResponse answer) {
            client.log().violation("a request id used again got the answer " + answer);
          }

          @Override
          public void failed(CallFailure failure, boolean none) {
            if (failure.code() != Status.Code.INVALID_ARGUMENT) {
              client.log().violation("a request id used again ended with " + failure);
            }
            again();
          }
        });
  }

  private void again() {
    client.after(random.nextLong(1, 2000), this::start);
  }

  private static AcquireRequest request(String id, String key) {
    return AcquireRequest.newBuilder()
        .setNamespace(NAMESPACE)
        .setKey(key)
        .setOwnerId("reuser")
        .setMode(Mode.MODE_EXCLUSIVE)
        .setTtl(Durations.fromMillis(500))
        .setRequestId(id)
        .build();
  }

  private void acquire(AcquireRequest request, RetriedRequest.Ending<AcquireResponse> ending) {
    client.log().count("operations");
    new RetriedRequest<>(
            client,
            LeaseServiceGrpc.getAcquireMethod(),
            request,
            Patience.endless(random.nextLong(50, 2000), 50),
            answer -> false,
            ending)
        .start();
  }
}
