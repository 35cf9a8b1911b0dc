package dev.plinth.simulation.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.shards.store.etcd.EtcdConnections;
import dev.plinth.shards.store.etcd.EtcdLink;
import dev.plinth.shards.store.etcd.TxnSender;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.kv.TxnResponse;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** The model of etcd for adapters with threads of their own, on the clock of this machine. */
final class ModelEtcd implements AutoCloseable {
  static final List<String> MEMBERS = List.of("model:1");

  private static final AtomicLong SEEDS = new AtomicLong();

  private final RealTimeEvents events = new RealTimeEvents();
  // Not on the thread of the events: it waits for nobody, whatever adapters do with answers.
  private final ExecutorService answers = Executors.newFixedThreadPool(4);
  private final SimulatedEtcd etcd;
  private final ModelFates fates;

  ModelEtcd(ModelFaults faults) {
    SplittableRandom random = new SplittableRandom(SEEDS.incrementAndGet());
    EtcdModel model = new EtcdModel(faults.settings(), events::now, random.split());
    etcd = new SimulatedEtcd(model, events::now, events, random.split());
    fates = new ModelFates(random, faults.rates(), faults.drawn());
    change(all -> all.setFates(fates));
  }

  private void change(Consumer<SimulatedEtcd> change) {
    ask(
        all -> {
          change.accept(all);
          return true;
        });
  }

  private <T> T ask(Function<SimulatedEtcd, T> question) {
    return CompletableFuture.supplyAsync(() -> question.apply(etcd), events)
        .orTimeout(30, TimeUnit.SECONDS)
        .join();
  }

  EtcdLink link(String node) {
    return new EtcdLink() {
      @Override
      public void silence() {
        change(all -> all.setLink(node, EtcdLinkState.SILENT));
      }

      @Override
      public void loseRequests() {
        change(all -> fates.loseRequests(node));
      }

      @Override
      public void loseAnswers() {
        change(all -> all.setLink(node, EtcdLinkState.ANSWERS_LOST));
      }

      @Override
      public void heal() {
        change(all -> all.setLink(node, EtcdLinkState.OPEN));
        change(all -> fates.heal(node));
      }
    };
  }

  EtcdConnections connections(String node) {
    return new EtcdConnections() {
      @Override
      public Client client(List<String> members, Duration timeout) {
        SimulatedEtcdConnection connection = connect(node, timeout);
        return EventThreadClient.of(connection.client(), ModelEtcd.this);
      }

      @Override
      public TxnSender txns(List<String> members, Duration timeout) {
        return new ModelTxns(ModelEtcd.this, connect(node, timeout));
      }
    };
  }

  private SimulatedEtcdConnection connect(String node, Duration timeout) {
    return ask(all -> all.connect(node, events, timeout));
  }

  /** Makes a call on the thread of the events; what is made of its answer runs elsewhere. */
  <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> request) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    events.execute(
        () -> request.get().whenComplete((done, failure) -> tell(answer, done, failure)));
    return answer;
  }

  private <T> void tell(CompletableFuture<T> answer, T done, Throwable failure) {
    answers.execute(
        () -> {
          if (failure == null) {
            answer.complete(done);
          } else {
            answer.completeExceptionally(failure);
          }
        });
  }

  Executor events() {
    return events;
  }

  private record ModelTxns(ModelEtcd etcd, SimulatedEtcdConnection connection)
      implements TxnSender {
    @Override
    public CompletableFuture<TxnResponse> send(TxnRequest request) {
      return etcd.call(
          () ->
              connection
                  .call(request, EtcdModel::txn)
                  .thenApply(done -> new TxnResponse(done, ByteSequence.EMPTY)));
    }

    @Override
    public void close() {
      etcd.events().execute(connection::close);
    }
  }

  @Override
  public void close() {
    events.shutdownNow();
    answers.shutdownNow();
    assertEquals(List.of(), List.copyOf(events.failures()));
  }
}
