package dev.plinth.client.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.LeaseServer;
import dev.plinth.client.PlinthClient;
import dev.plinth.lease.v1.Leader;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The observer is behind a proxy; who stands for election is not. */
class ElectionObservationTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path directory;
  private LeaseServer server;
  private FaultProxy proxy;
  private PlinthClient observer;
  private PlinthClient ann;
  private final Terms terms = new Terms();

  @BeforeEach
  void start() {
    server = new LeaseServer(directory);
    proxy = FaultProxy.to("localhost", server.port());
    observer = PlinthClient.connect(proxy.address());
    ann = PlinthClient.builder(server.target()).owner("ann").build();
  }

  @AfterEach
  void stop() {
    observer.close();
    ann.close();
    proxy.close();
    server.close();
  }

  @Test
  void observe_tellsWhatIs_thenEveryTermAndValue() throws Exception {
    lead(0).resign();
    observer.election("cron").observe(terms);
    Leadership second = lead(1);
    second.proclaim("moved");
    second.resign();
    Await.until("all is heard", () -> terms.heard.size() == 3);
    assertEquals(List.of("none 1", "leader 2", "none 2"), terms.heard);
    assertEquals(List.of("value 1", "moved"), terms.values);
  }

  @Test
  void interceptorThatThrows_isAnsweredByAnotherAttempt() throws Exception {
    AtomicInteger broken = new AtomicInteger(3);
    ClientInterceptor breaking =
        new ClientInterceptor() {
          @Override
          public <Q, A> ClientCall<Q, A> interceptCall(
              MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            if (broken.getAndDecrement() > 0) {
              throw new IllegalStateException("no credentials today");
            }
            return next.newCall(method, options);
          }
        };
    ManagedChannel channel =
        Grpc.newChannelBuilder(server.target(), InsecureChannelCredentials.create())
            .intercept(breaking)
            .build();
    try (PlinthClient client = PlinthClient.builder(channel).build()) {
      client.election("cron").observe(terms);
      lead(0);
      Await.until("it hears of the leader", () -> terms.heard.contains("leader 1"));
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void close_endsIt() throws Exception {
    observer.election("cron").observe(terms).close();
    lead(0);
    Terms later = new Terms();
    observer.election("cron").observe(later);
    Await.until("a later one hears", () -> later.heard.equals(List.of("leader 1")));
    assertTrue(terms.heard.size() <= 1);
  }

  @Test
  void V14_connectionsThatBreak_skipNoTerm_andRepeatNone() throws Exception {
    observer.election("cron").observe(terms);
    Random random = new Random(14);
    CompletableFuture<Void> breaking =
        CompletableFuture.runAsync(
            () -> {
              while (!terms.heard.contains("leader 60")) {
                proxy.cut();
                proxy.heal();
                Await.until("it is back", () -> random.nextInt(4) == 0);
              }
            });
    for (int i = 1; i <= 60; i++) {
      Leadership leads = lead(i);
      if (i % 2 == 0) {
        try (Candidacy next =
            ann.election("cron").campaign(CampaignOptions.defaults().candidate("other"))) {
          leads.resign(); // handed over in one commit
          i++;
          next.await(LONG).orElseThrow();
        }
      } else {
        leads.resign();
      }
    }
    List<String> truth = server.terms("cron");
    Await.until("all is heard", () -> terms.heard.size() > truth.size());
    breaking.get(30, TimeUnit.SECONDS);
    assertEquals(truth, terms.heard.subList(1, terms.heard.size()));
    assertEquals("none 0", terms.heard.get(0));
    assertEquals(List.of(), terms.gaps);
  }

  @Test
  void historyThatIsGone_isToldAsAGap() throws Exception {
    observer.election("cron").observe(terms);
    Leadership first = lead(0);
    Await.until("the first term", () -> terms.heard.contains("leader 1"));
    proxy.cut();
    first.resign();
    lead(1).resign();
    server.makeEvents(ann.leases().tryAcquire("other").orElseThrow(), 10_001); // one too many
    lead(2);
    proxy.heal();
    Await.until("the last term", () -> terms.heard.contains("leader 3"));
    assertEquals(List.of("gap"), terms.gaps);
    assertEquals(List.of("none 0", "leader 1", "none 1", "leader 3"), terms.heard);
  }

  @Test
  void listenerThatBlocks_keepsNoMoreWaitingThanTheBound_andMissesNothing() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    Leadership leads = lead(0);
    ElectionObservation observation =
        observer
            .election("cron")
            .observe(
                new LeaderListener() {
                  @Override
                  public void onLeader(Leader leader) {
                    Await.until("it may go on", () -> goOn.getCount() == 0);
                    terms.onLeader(leader);
                  }

                  @Override
                  public void onNoLeader(long term) {
                    terms.onNoLeader(term);
                  }

                  @Override
                  public void onValue(Leader leader) {
                    terms.onValue(leader);
                  }
                });
    List<String> said = new ArrayList<>(List.of("value 0"));
    for (int i = 1; i <= 2 * ElectionObservation.MAX_WAITING; i++) {
      leads.proclaim("value " + i);
      said.add("value " + i);
      assertTrue(observation.waiting() <= ElectionObservation.MAX_WAITING);
    }
    Await.until("full", () -> observation.waiting() == ElectionObservation.MAX_WAITING);
    goOn.countDown();
    Await.until("all is heard", () -> terms.values.size() >= said.size());
    assertEquals(said, terms.values);
  }

  private Leadership lead(int i) throws InterruptedException {
    return ann.election("cron").campaign("value " + i).await(LONG).orElseThrow();
  }
}
