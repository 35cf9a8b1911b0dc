package dev.plinth.client.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.LeaseServer;
import dev.plinth.client.LeaseState;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.ResourceExhaustedException;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A leader that hands over, and hears neither that it did nor that it is deposed. */
class LostTransferTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path directory;

  /** The answer of the first attempt is lost, and the second meets a server that is too busy. */
  private static final class Losing implements ClientInterceptor {
    private final AtomicInteger transfers = new AtomicInteger();
    private volatile boolean deaf;

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      boolean transfer = method.equals(ElectionServiceGrpc.getTransferLeadershipMethod());
      boolean campaign = method.equals(ElectionServiceGrpc.getCampaignMethod());
      int attempt = transfer ? transfers.incrementAndGet() : 0;
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void start(Listener<A> listener, Metadata headers) {
          super.start(
              new SimpleForwardingClientCallListener<>(listener) {
                @Override
                public void onMessage(A message) {
                  if (!transfer && !(campaign && deaf)) {
                    super.onMessage(message);
                  }
                }

                @Override
                public void onClose(Status status, Metadata trailers) {
                  super.onClose(
                      attempt == 1
                          ? Status.UNAVAILABLE
                          : attempt == 2 ? Status.RESOURCE_EXHAUSTED : status,
                      trailers);
                }
              },
              headers);
        }
      };
    }
  }

  @Test
  void V3_transferWhoseAnswerIsLost_isNotTakenBack_byALaterRefusal() throws Exception {
    Losing losing = new Losing();
    try (LeaseServer server = new LeaseServer(directory);
        PlinthClient bob = PlinthClient.builder(server.target()).owner("bob").build()) {
      ManagedChannel channel =
          Grpc.newChannelBuilder(server.target(), InsecureChannelCredentials.create())
              .intercept(losing)
              .build();
      try (PlinthClient ann = PlinthClient.builder(channel).owner("ann").build()) {
        Leadership leads = ann.election("cron").campaign("").await(LONG).orElseThrow();
        Candidacy next = bob.election("cron").campaign("");
        losing.deaf = true;
        assertThrows(ResourceExhaustedException.class, () -> leads.transferTo(next.candidate()));
        assertEquals(2, losing.transfers.get());
        assertTrue(next.await(LONG).isPresent());
        assertEquals(LeaseState.RELEASED, leads.state());
      } finally {
        channel.shutdownNow();
      }
    }
  }
}
