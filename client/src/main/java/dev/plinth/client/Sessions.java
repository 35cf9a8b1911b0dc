package dev.plinth.client;

import dev.plinth.lease.v1.CloseSessionRequest;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** One session per namespace, opened on first use, and anew after it was lost. */
final class Sessions {
  private static final Logger log = System.getLogger("plinth.client");

  /** A namespace's session; its lock lets one thread open it while the others wait. */
  private static final class Slot {
    Session session;
  }

  private final Map<String, Slot> slots = new ConcurrentHashMap<>();
  private final Calls calls;
  private final Function<HeartbeatRequest, Heart> hearts;
  private final Rhythm rhythm;
  private final OpenSessionRequest terms;
  private volatile boolean closed;

  /**
   * @param terms what every session is opened with: owner, ttl, lock-delay
   */
  Sessions(
      Calls calls,
      Function<HeartbeatRequest, Heart> hearts,
      Rhythm rhythm,
      OpenSessionRequest terms) {
    this.calls = calls;
    this.hearts = hearts;
    this.rhythm = rhythm;
    this.terms = terms;
  }

  Session current(String namespace, Budget budget) throws InterruptedException {
    Slot slot = slots.computeIfAbsent(namespace, n -> new Slot());
    synchronized (slot) {
      checkOpen();
      if (slot.session == null || slot.session.isLost()) {
        slot.session = open(namespace, budget);
      }
      return slot.session;
    }
  }

  private Session open(String namespace, Budget budget) throws InterruptedException {
    OpenSessionRequest request =
        terms.toBuilder().setNamespace(namespace).setRequestId(Wire.newRequestId()).build();
    return open(request, budget).session();
  }

  /** A session that another process began, and what it holds. */
  record Resumed(Session session, List<Lease> held) {}

  Resumed resume(String namespace, SessionKey key, Budget budget) throws InterruptedException {
    OpenSessionRequest request =
        OpenSessionRequest.newBuilder()
            .setNamespace(namespace)
            .setResumeSessionId(key.id())
            .setResumeSecret(key.secret())
            .build();
    Slot slot = slots.computeIfAbsent(namespace, n -> new Slot());
    synchronized (slot) {
      checkOpen();
      if (slot.session != null && !slot.session.isLost()) {
        throw new IllegalStateException(
            "session "
                + slot.session.id()
                + " is in use (expected: none yet in "
                + namespace
                + ")");
      }
      Resumed resumed = open(request, budget);
      slot.session = resumed.session();
      return resumed;
    }
  }

  /**
   * Counts from before the first attempt: if that one opened the session and its answer was lost,
   * the second one's answer is a memory, not a renewal.
   */
  private Resumed open(OpenSessionRequest request, Budget budget) throws InterruptedException {
    Moment sentAt = rhythm.now();
    OpenSessionResponse answer =
        calls.call(LeaseServiceGrpc.getOpenSessionMethod(), request, budget);
    HeartbeatRequest beat =
        HeartbeatRequest.newBuilder()
            .setNamespace(request.getNamespace())
            .setSessionId(answer.getSessionId())
            .build();
    Tenure tenure = new Tenure(sentAt, Wire.duration(answer.getTtl()));
    SessionKey key = new SessionKey(answer.getSessionId(), answer.getResumeSecret());
    Session session = new Session(key, tenure, hearts.apply(beat), rhythm);
    session.start();
    return new Resumed(session, answer.getHeldList());
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the client is closed");
    }
  }

  /** Ends every session, here first and then at the server, which releases what they held. */
  void close(Duration each) {
    closed = true;
    for (Map.Entry<String, Slot> entry : slots.entrySet()) {
      synchronized (entry.getValue()) {
        Session session = entry.getValue().session;
        if (session != null && !session.isLost()) {
          session.end();
          closeAtServer(entry.getKey(), session.id(), each);
        }
      }
    }
  }

  private void closeAtServer(String namespace, String id, Duration time) {
    CloseSessionRequest request =
        CloseSessionRequest.newBuilder()
            .setNamespace(namespace)
            .setSessionId(id)
            .setRequestId(Wire.newRequestId())
            .build();
    try {
      calls.call(
          LeaseServiceGrpc.getCloseSessionMethod(), request, new Budget(time, rhythm.nanos()));
    } catch (CallFailed e) {
      log.log(Level.INFO, "session {0} ends by its ttl: {1}", id, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
