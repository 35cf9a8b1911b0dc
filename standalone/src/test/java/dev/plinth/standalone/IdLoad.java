package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.id.v1.AllocateRequest;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.GetNamespaceRequest;
import dev.plinth.id.v1.IdServiceGrpc.IdServiceBlockingStub;
import dev.plinth.id.v1.Layout;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.LeaseRangeResponse;
import dev.plinth.id.v1.LeaseWorkerRequest;
import dev.plinth.id.v1.LeaseWorkerResponse;
import dev.plinth.id.v1.NamespaceStatus;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.id.v1.ReleaseWorkerRequest;
import dev.plinth.id.v1.Worker;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.LongStream;

/**
 * Callers that take ids in every way there is, some with request ids, and keep all that they were
 * told. An id that comes twice fails the run at once.
 */
final class IdLoad implements AutoCloseable {
  static final int SPACES = 4;
  private static final int CALLERS = 8;
  // Leaves the processes under test some of the machine, above all one that is starting.
  private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
  private final IntFunction<IdServiceBlockingStub> servers;
  private final Set<String> given = ConcurrentHashMap.newKeySet();
  private final Map<AllocateRequest, AllocateResponse> allocated = new ConcurrentHashMap<>();
  private final Map<LeaseRangeRequest, LeaseRangeResponse> leased = new ConcurrentHashMap<>();
  private final Map<LeaseWorkerRequest, LeaseWorkerResponse> hired = new ConcurrentHashMap<>();
  private final Map<String, List<Worker>> windows = new ConcurrentHashMap<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private final AtomicInteger answers = new AtomicInteger();
  private final AtomicReference<Throwable> wrong = new AtomicReference<>();
  private volatile boolean ended;

  /**
   * @param servers whom a caller asks, by its number; looked up before each call
   */
  IdLoad(IntFunction<IdServiceBlockingStub> servers) {
    this.servers = servers;
  }

  static String dense(int n) {
    return "dense-" + n % SPACES;
  }

  static String flakes(int n) {
    return "flakes-" + n % SPACES;
  }

  /** In namespaces of several shards. */
  static void define(IdServiceBlockingStub ids) {
    Layout.Builder layout =
        Layout.newBuilder()
            .setEpochMs(1_735_689_600_000L)
            .setTimeBits(41)
            .setWorkerBits(12)
            .setSequenceBits(10);
    for (int i = 0; i < SPACES; i++) {
      put(ids, dense(i), Definition.newBuilder().setFormat(Format.FORMAT_DENSE).setMinRange(1));
      put(
          ids,
          flakes(i),
          Definition.newBuilder().setFormat(Format.FORMAT_SNOWFLAKE).setLayout(layout));
    }
  }

  private static void put(IdServiceBlockingStub ids, String name, Definition.Builder definition) {
    ids.putNamespace(
        PutNamespaceRequest.newBuilder().setNamespace(name).setDefinition(definition).build());
  }

  void start() {
    for (int i = 0; i < CALLERS; i++) {
      int caller = i;
      callers.execute(
          () -> {
            while (!ended) {
              try {
                askOnce(caller);
                answers.incrementAndGet();
                LockSupport.parkNanos(PACE_NANOS);
              } catch (StatusRuntimeException e) {
                // A server that is gone, or moves: whatever this was, nobody was told.
                LockSupport.parkNanos(AFTER_FAILURE_NANOS);
              } catch (Throwable e) {
                wrong.compareAndSet(null, e);
                ended = true;
              }
            }
          });
    }
  }

  int answers() {
    if (wrong.get() != null) {
      throw new AssertionError(wrong.get());
    }
    return answers.get();
  }

  private void askOnce(int caller) {
    int n = numbers.incrementAndGet();
    String requestId = n % 2 == 0 ? "r" + n : "";
    IdServiceBlockingStub ids = servers.apply(caller).withDeadlineAfter(10, TimeUnit.SECONDS);
    switch (n / 2 % 8) {
      case 0 -> lease(ids, n, requestId);
      case 1 -> hire(ids, n, requestId);
      case 2, 3, 4 -> allocate(ids, flakes(n / 7), n, requestId);
      default -> allocate(ids, dense(n / 7), n, requestId);
    }
  }

  private void allocate(IdServiceBlockingStub ids, String name, int n, String requestId) {
    AllocateRequest request =
        AllocateRequest.newBuilder()
            .setNamespace(name)
            .setCount(1 + n % 5)
            .setRequestId(requestId)
            .build();
    AllocateResponse answer = ids.allocate(request);
    told(name, all(answer));
    if (!requestId.isEmpty()) {
      allocated.put(request, answer);
    }
  }

  private static LongStream all(AllocateResponse answer) {
    return answer.getStep() == 0
        ? answer.getIdsList().stream().mapToLong(Long::longValue)
        : LongStream.range(answer.getFirst(), answer.getFirst() + answer.getCount());
  }

  private void lease(IdServiceBlockingStub ids, int n, String requestId) {
    LeaseRangeRequest request =
        LeaseRangeRequest.newBuilder()
            .setNamespace(dense(n / 16))
            .setOwnerId("ann")
            .setWant(1 + n % 20)
            .setRequestId(requestId)
            .build();
    LeaseRangeResponse answer = ids.leaseRange(request);
    long first = answer.getRange().getFirst();
    told(request.getNamespace(), LongStream.range(first, first + answer.getRange().getCount()));
    if (!requestId.isEmpty()) {
      leased.put(request, answer);
    }
  }

  private void hire(IdServiceBlockingStub ids, int n, String requestId) {
    LeaseWorkerRequest request =
        LeaseWorkerRequest.newBuilder()
            .setNamespace(flakes(n / 16))
            .setOwnerId("ann")
            .setRequestId(requestId)
            .build();
    LeaseWorkerResponse answer = ids.leaseWorker(request);
    assertEquals(LeaseWorkerResponse.Outcome.OUTCOME_LEASED, answer.getOutcome());
    Worker worker = answer.getWorker();
    windows
        .computeIfAbsent(
            worker.getNamespace() + "/" + worker.getWorkerId(),
            w -> Collections.synchronizedList(new ArrayList<>()))
        .add(worker);
    if (!requestId.isEmpty()) {
      hired.put(request, answer);
    } else {
      ids.releaseWorker(
          ReleaseWorkerRequest.newBuilder()
              .setNamespace(worker.getNamespace())
              .setWorkerId(worker.getWorkerId())
              .setEpoch(worker.getEpoch())
              .build());
    }
  }

  private void told(String name, LongStream ids) {
    ids.forEach(id -> assertTrue(given.add(name + " " + id), () -> name + " gave twice " + id));
  }

  /** After the callers have stopped: replays, windows and ledgers. */
  void check(IdServiceBlockingStub ids) {
    answers();
    same(allocated, ids::allocate);
    same(leased, ids::leaseRange);
    same(hired, ids::leaseWorker);
    assertTrue(allocated.size() > 20 && !leased.isEmpty() && !hired.isEmpty());
    for (List<Worker> ofOne : windows.values()) {
      List<Worker> sorted = new ArrayList<>(ofOne);
      sorted.sort(Comparator.comparingLong(Worker::getEpoch));
      for (int i = 1; i < sorted.size(); i++) {
        assertTrue(sorted.get(i).getEpoch() > sorted.get(i - 1).getEpoch());
        assertTrue(sorted.get(i).getFloorMs() >= sorted.get(i - 1).getCeilingMs());
      }
    }
    Map<String, Long> ends = new HashMap<>();
    for (int i = 0; i < SPACES; i++) {
      NamespaceStatus status =
          ids.getNamespace(GetNamespaceRequest.newBuilder().setNamespace(dense(i)).build())
              .getStatus();
      assertEquals(
          status.getNext() - 1,
          status.getLedger().getIssued()
              + status.getLedger().getWasted()
              + status.getLedger().getOutstanding());
      ends.put(dense(i), status.getNext());
    }
    assertTrue(
        given.stream()
            .map(id -> id.split(" "))
            .filter(id -> ends.containsKey(id[0]))
            .allMatch(id -> Long.parseLong(id[1]) < ends.get(id[0])));
  }

  private static <Q, A> void same(Map<Q, A> told, Function<Q, A> again) {
    told.forEach((request, answer) -> assertEquals(answer, again.apply(request)));
  }

  void stop() {
    ended = true;
    callers.shutdown();
    try {
      assertTrue(callers.awaitTermination(60, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    ended = true;
    callers.shutdownNow();
  }
}
