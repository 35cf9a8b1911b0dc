package dev.plinth.standalone;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireStreamRequest;
import dev.plinth.lease.v1.AcquireStreamResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.atomic.AtomicInteger;

/** A client process with thousands of waiters for one key; it stays until it is killed. */
final class WaiterCrowd {
  private static final int PER_CONNECTION = 1000;

  private WaiterCrowd() {}

  public static void main(String[] args) throws InterruptedException {
    int port = Integer.parseInt(args[0]);
    String key = args[1];
    int count = Integer.parseInt(args[2]);
    AtomicInteger queued = new AtomicInteger();
    ManagedChannel channel = null;
    for (int i = 0; i < count; i++) {
      if (i % PER_CONNECTION == 0) {
        channel = ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
      }
      AcquireStreamRequest request =
          AcquireStreamRequest.newBuilder()
              .setKey(key)
              .setOwnerId("waiter-" + i)
              .setTtl(Durations.fromSeconds(30))
              .setWait(Durations.fromMinutes(10))
              .build();
      LeaseServiceGrpc.newStub(channel).acquireStream(request, new FirstAnswer(queued, count));
    }
    Thread.currentThread().join();
  }

  private static final class FirstAnswer implements StreamObserver<AcquireStreamResponse> {
    private final AtomicInteger queued;
    private final int count;
    private boolean heard;

    FirstAnswer(AtomicInteger queued, int count) {
      this.queued = queued;
      this.count = count;
    }

    @Override
    public void onNext(AcquireStreamResponse answer) {
      if (!heard && answer.hasQueued()) {
        heard = true;
        if (queued.incrementAndGet() == count) {
          System.out.println("all are in line");
        }
      }
    }

    @Override
    public void onError(Throwable thrown) {
      System.out.println(thrown);
    }

    @Override
    public void onCompleted() {}
  }
}
