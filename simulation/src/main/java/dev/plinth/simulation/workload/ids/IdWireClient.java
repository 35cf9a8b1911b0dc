package dev.plinth.simulation.workload.ids;

import com.google.protobuf.Message;
import dev.plinth.id.v1.AllocateRequest;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.Range;
import dev.plinth.id.v1.ReturnRangeRequest;
import dev.plinth.id.v1.ReturnRangeResponse;
import dev.plinth.simulation.workload.Patience;
import dev.plinth.simulation.workload.RetriedRequest;
import dev.plinth.simulation.workload.WireClient;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/** A caller of the API that takes ids in every way, one call after the other. */
final class IdWireClient {
  static final int MOST_AT_ONCE = 40;
  private static final int FEW = 5;

  private final WireClient client;
  private final IdChecks checks;
  private final SplittableRandom random;
  private final WorkerWireClient workers;

  IdWireClient(WireClient client, IdChecks checks) {
    this.client = client;
    this.checks = checks;
    this.random = client.random();
    this.workers = new WorkerWireClient(client, this, checks.windows());
  }

  void start() {
    client.after(random.nextInt(1, 50), this::turn);
  }

  void next() {
    if (!client.log().isOver()) {
      client.after(random.nextInt(1, 300), this::turn);
    }
  }

  private void turn() {
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> allocate(IdNames.STRICT, random.nextBoolean());
      case 3, 4 -> allocate(IdNames.SNOWFLAKES, random.nextBoolean());
      case 5, 6 -> allocate(IdNames.COUNTED, true);
      case 7, 8, 9 -> allocate(IdNames.COUNTED, false);
      case 10 -> lease();
      default -> workers.turn();
    }
  }

  /**
   * @param known whether it has a request id; else a second attempt could have an effect of its own
   */
  private void allocate(String namespace, boolean known) {
    int count = random.nextInt(3) == 0 ? random.nextInt(1, MOST_AT_ONCE) : 1;
    AllocateRequest request =
        AllocateRequest.newBuilder()
            .setNamespace(namespace)
            .setCount(count)
            .setRequestId(known ? client.newRequestId() : "")
            .build();
    long asked = client.now();
    boolean counted = namespace.equals(IdNames.COUNTED);
    send(
        IdServiceGrpc.getAllocateMethod(),
        request,
        patience(namespace, known),
        known,
        answer -> {
          checks.given(namespace, client.name(), asked, client.now(), ids(answer));
          if (counted) {
            checks.losses().taken(asked, client.now(), count);
          }
          next();
        },
        none -> {
          if (counted && !none) {
            checks.losses().taken(asked, Long.MAX_VALUE, count);
          }
        });
  }

  private static List<Long> ids(AllocateResponse answer) {
    return answer.getIdsCount() > 0
        ? answer.getIdsList()
        : LongStream.range(0, answer.getCount())
            .mapToObj(i -> answer.getFirst() + i * answer.getStep())
            .toList();
  }

  private void lease() {
    LeaseRangeRequest request =
        LeaseRangeRequest.newBuilder()
            .setNamespace(IdNames.COUNTED)
            .setOwnerId(client.name())
            .setWant(random.nextInt(1, MOST_AT_ONCE))
            .setRequestId(client.newRequestId())
            .build();
    long asked = client.now();
    send(
        IdServiceGrpc.getLeaseRangeMethod(),
        request,
        patience(),
        true,
        answer -> {
          checks.losses().taken(asked, client.now(), answer.getRange().getCount());
          use(answer.getRange(), asked);
        },
        none -> {});
  }

  /** Only some of its ids; then the range is returned, or forgotten. */
  private void use(Range range, long asked) {
    long used = random.nextLong(range.getCount() + 1);
    String handle = client.name() + " by range " + range.getLeaseId();
    List<Long> ids =
        LongStream.range(0, used).mapToObj(i -> range.getFirst() + i * range.getStep()).toList();
    checks.given(IdNames.COUNTED, handle, asked, client.now(), ids);
    if (random.nextInt(4) == 0) {
      next();
      return;
    }
    ReturnRangeRequest request =
        ReturnRangeRequest.newBuilder()
            .setNamespace(IdNames.COUNTED)
            .setLeaseId(range.getLeaseId())
            .setUsed(used)
            .setRequestId(client.newRequestId())
            .build();
    client.after(
        random.nextInt(500),
        () ->
            send(
                IdServiceGrpc.getReturnRangeMethod(),
                request,
                patience(),
                true,
                answer -> {
                  if (answer.getOutcome() == ReturnRangeResponse.Outcome.OUTCOME_RECLAIMED) {
                    checks.losses().reclaimed(answer.getReturned());
                  }
                  next();
                },
                none -> {}));
  }

  /** A clock that was set back may keep snowflakes from being made for an hour. */
  private Patience patience(String namespace, boolean known) {
    Patience patience = known ? patience() : patience().once();
    return known && namespace.equals(IdNames.SNOWFLAKES)
        ? new Patience(patience.attemptMillis(), patience.pauseMillis(), FEW, false)
        : patience;
  }

  Patience patience() {
    long attempt = random.nextInt(5) == 0 ? random.nextLong(5, 200) : random.nextLong(500, 6000);
    return Patience.endless(attempt, random.nextLong(200));
  }

  /**
   * Sends a request. If it fails the next turn follows.
   *
   * @param same whether whoever sends it again must get the same answer
   * @param failed told whether it surely had no effect
   */
  <Q extends Message, A extends Message> void send(
      MethodDescriptor<Q, A> method,
      Q request,
      Patience patience,
      boolean same,
      Consumer<A> answered,
      Consumer<Boolean> failed) {
    client.log().count("operations");
    new RetriedRequest<>(
            client,
            method,
            request,
            patience,
            answer -> same,
            RetriedRequest.Ending.of(
                answer -> {
                  client.log().count(method.getBareMethodName());
                  answered.accept(answer);
                },
                (failure, none) -> {
                  failed.accept(none);
                  next();
                }))
        .start();
  }
}
