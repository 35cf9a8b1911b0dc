package dev.plinth.client.internal.session;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.CallLock;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.ClockReading;
import dev.plinth.client.internal.LocalDeadline;
import dev.plinth.client.internal.OperationDeadline;
import dev.plinth.lease.v1.CloseSessionRequest;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.ListLeasesResponse;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.machine.Machine;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** One session per namespace, opened on first use, and anew after it was lost. */
public final class NamespaceSessions {
  private static final Logger log = System.getLogger("plinth.client");
  private static final int LIST_PAGE = 1000;

  /** A namespace's session; its lock lets one thread open it while the others wait. */
  private static final class Slot {
    final CallLock lock;
    volatile ClientSession session;

    Slot(Machine machine) {
      lock = new CallLock(machine);
    }
  }

  private final Map<String, Slot> slots = new ConcurrentHashMap<>();
  private final ClientRuntime runtime;
  private final OpenSessionRequest terms;
  private final TokenWatermarks tokens = new TokenWatermarks();
  private volatile boolean closed;

  /**
   * @param terms what every session is opened with: owner, ttl, lock-delay
   */
  public NamespaceSessions(ClientRuntime runtime, OpenSessionRequest terms) {
    this.runtime = runtime;
    this.terms = terms;
  }

  /** The highest tokens that were seen, to notice a store that went back. */
  public TokenWatermarks tokens() {
    return tokens;
  }

  public ClientSession current(String namespace, OperationDeadline deadline)
      throws InterruptedException {
    Slot slot = slot(namespace);
    checkOpen();
    ClientSession session = slot.session;
    if (isOpen(session)) {
      return session;
    }
    slot.lock.lock();
    try {
      checkOpen();
      if (!isOpen(slot.session)) {
        String id = runtime.newRequestId();
        open(terms.toBuilder().setNamespace(namespace).setRequestId(id).build(), slot, deadline);
      }
      return slot.session;
    } finally {
      slot.lock.unlock();
    }
  }

  private static boolean isOpen(ClientSession session) {
    return session != null && !session.isLost();
  }

  private Slot slot(String namespace) {
    return slots.computeIfAbsent(namespace, n -> new Slot(runtime.machine()));
  }

  /** A session that another process began, and what it holds. */
  public record Resumed(ClientSession session, List<Lease> held) {}

  public Resumed resume(String namespace, String id, String secret, OperationDeadline deadline)
      throws InterruptedException {
    OpenSessionRequest request =
        OpenSessionRequest.newBuilder()
            .setNamespace(namespace)
            .setResumeSessionId(id)
            .setResumeSecret(secret)
            .build();
    Slot slot = slot(namespace);
    slot.lock.lock();
    try {
      checkOpen();
      if (isOpen(slot.session)) {
        throw new IllegalStateException(
            "session %s is in use (expected: none yet in %s)"
                .formatted(slot.session.id(), namespace));
      }
      return open(request, slot, deadline);
    } finally {
      slot.lock.unlock();
    }
  }

  /**
   * Counts from before the first attempt: if that one opened the session and its answer was lost,
   * the second one's answer is a memory, not a renewal.
   */
  private Resumed open(OpenSessionRequest request, Slot slot, OperationDeadline deadline)
      throws InterruptedException {
    ClockReading sentAt = runtime.environment().now();
    OpenSessionResponse answer =
        runtime.blockingCaller().call(LeaseServiceGrpc.getOpenSessionMethod(), request, deadline);
    HeartbeatRequest heartbeat =
        HeartbeatRequest.newBuilder()
            .setNamespace(request.getNamespace())
            .setSessionId(answer.getSessionId())
            .build();
    HeartbeatSender sender =
        within -> runtime.send(LeaseServiceGrpc.getHeartbeatMethod(), heartbeat, within);
    LocalDeadline localDeadline = new LocalDeadline(sentAt, ClientWire.duration(answer.getTtl()));
    ClientSession session = new ClientSession(answer, localDeadline, sender, runtime.environment());
    session.start();
    slot.session = session;
    if (closed) { // meanwhile, and maybe before this one could be seen
      end(request.getNamespace(), session, runtime.callDeadline());
      checkOpen();
    }
    return new Resumed(session, held(request.getNamespace(), answer, session, deadline));
  }

  /** What the session holds; where that is more than an answer lists, all pages tell. */
  private List<Lease> held(
      String namespace,
      OpenSessionResponse answer,
      ClientSession session,
      OperationDeadline deadline)
      throws InterruptedException {
    if (answer.getHeldTotal() <= answer.getHeldCount()) {
      return answer.getHeldList();
    }
    try {
      return listHeld(namespace, session.id(), deadline);
    } catch (CallFailedException | InterruptedException e) {
      session.end(); // here alone: it can be resumed again
      throw e;
    }
  }

  private List<Lease> listHeld(String namespace, String id, OperationDeadline deadline)
      throws InterruptedException {
    List<Lease> held = new ArrayList<>();
    ListLeasesRequest.Builder request =
        ListLeasesRequest.newBuilder().setNamespace(namespace).setPageSize(LIST_PAGE);
    do {
      ListLeasesResponse page =
          runtime
              .blockingCaller()
              .call(LeaseServiceGrpc.getListLeasesMethod(), request.build(), deadline);
      page.getLeasesList().stream()
          .filter(lease -> lease.getSessionId().equals(id))
          .forEach(held::add);
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return held;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the client is closed");
    }
  }

  /**
   * Ends every session, here first and then at the server, which releases what they held. Does not
   * wait for one that is being opened: whoever opens it ends it.
   */
  public void close(Duration each) {
    closed = true;
    slots.forEach((namespace, slot) -> end(namespace, slot.session, each));
  }

  private void end(String namespace, ClientSession session, Duration time) {
    if (session == null || session.isLost()) {
      return;
    }
    session.end();
    CloseSessionRequest request =
        CloseSessionRequest.newBuilder()
            .setNamespace(namespace)
            .setSessionId(session.id())
            .setRequestId(runtime.newRequestId())
            .build();
    try {
      runtime.call(LeaseServiceGrpc.getCloseSessionMethod(), request, time);
    } catch (CallFailedException e) {
      log.log(Level.INFO, "session {0} ends by its ttl: {1}", session.id(), e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
