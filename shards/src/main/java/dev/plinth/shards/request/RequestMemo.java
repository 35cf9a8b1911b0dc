package dev.plinth.shards.request;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.machine.Machine;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.IdempotentRequest;
import dev.plinth.shards.Reply;
import dev.plinth.shards.RequestId;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The answers of a shard by request id. One that came with an effect is stored in the same commit
 * and known for the whole retention, over changes of owner too. One that changed nothing is known
 * for a while, in memory only. A failure is not remembered: the request may be tried again.
 */
public final class RequestMemo {
  /** A larger answer is not kept: the request is known to be done, but not what it was told. */
  static final int MAX_ANSWER = 64 * 1024;

  /** Calls that may wait for the answer to one request. */
  static final int MAX_JOINED = 100;

  private static final Duration TRIM_INTERVAL = Duration.ofMillis(250);
  private static final Duration MIN_UPKEEP = Duration.ofSeconds(1);

  private final RequestMemory memory;
  private final RequestLog log;
  private final NoEffectAnswers noEffects;
  private final Map<RequestId, RecordingReply<?>> unanswered = new HashMap<>();
  private boolean upkept;
  private boolean closed;

  public RequestMemo(RequestMemory memory, Machine machine) {
    this.memory = memory;
    this.log = new RequestLog(memory, machine);
    this.noEffects = new NoEffectAnswers(memory.noEffectBytes());
  }

  public void load(List<Row> rows) {
    log.load(rows);
  }

  /**
   * The reply to answer through if this request is new. Empty if it is not: then its answer is on
   * the way through {@code reply}, now or when the first one gets it.
   */
  public <R> Optional<Reply<R>> admit(
      IdempotentRequest<R> idempotentRequest,
      CommandPriority commandPriority,
      RecordedTx tx,
      Reply<R> reply) {
    log.expire();
    RecordingReply<?> first = unanswered.get(idempotentRequest.id());
    if (first != null) {
      check(idempotentRequest, first.idempotentRequest.fingerprint());
      first.join(new JoinedReply<>(idempotentRequest, reply));
      if (idempotentRequest.settles()) {
        first.hadEffect();
      }
      return Optional.empty();
    }
    RememberedAnswer known = log.find(idempotentRequest.id());
    if (known == null) {
      known = noEffects.find(idempotentRequest.id());
      if (known != null && idempotentRequest.settles()) {
        settle(idempotentRequest, commandPriority, tx, known);
      }
    }
    if (known != null) {
      check(idempotentRequest, known.fingerprint());
      reply.send(tx, decode(idempotentRequest, known.bytes()));
      return Optional.empty();
    }
    requireRoom(commandPriority);
    RecordingReply<R> recordingReply = new RecordingReply<>(idempotentRequest, reply);
    recordingReply.joins(tx);
    unanswered.put(idempotentRequest.id(), recordingReply);
    memory.use(RequestMemory.RESERVED, 0);
    return Optional.of(recordingReply);
  }

  private void requireRoom(CommandPriority commandPriority) {
    long used = log.bytes() + (long) unanswered.size() * RequestMemory.RESERVED;
    if (!memory.hasRoom(commandPriority, used)) {
      throw memory.full(used, log.untilExpiry());
    }
  }

  /** An answer without an effect is known to this node alone; now the next owner knows it too. */
  private void settle(
      IdempotentRequest<?> request,
      CommandPriority commandPriority,
      RecordedTx tx,
      RememberedAnswer known) {
    check(request, known.fingerprint());
    requireRoom(commandPriority);
    tx.append(log, RequestRow.entry(request.id(), known.fingerprint(), known.bytes()));
    keepUp(tx);
  }

  private static void check(IdempotentRequest<?> idempotentRequest, long fingerprint) {
    if (idempotentRequest.fingerprint() != fingerprint) {
      throw reused();
    }
  }

  private static Failure reused() {
    return new Failure.Invalid(
        ErrorReason.ERROR_REASON_REQUEST_ID_REUSED,
        List.of(
            new Failure.Invalid.Violation(
                "request_id", "was used before with another request (expected: a new id)")));
  }

  private static <R> R decode(IdempotentRequest<R> idempotentRequest, byte[] answer) {
    if (answer == null) {
      throw new Failure.Forbidden(
          ErrorReason.ERROR_REASON_ANSWER_NOT_KEPT,
          "request_id",
          "the request was applied before, and its answer of more than "
              + MAX_ANSWER
              + " bytes was not kept",
          Map.of());
    }
    try {
      return idempotentRequest.decode().apply(answer);
    } catch (RuntimeException e) {
      throw reused(); // a body that is alike, of a call whose answers are not
    }
  }

  /** Forgets what has had its time, also while no requests come in. */
  private void upkeep(Tx tx) {
    upkept = false;
    log.expire();
    log.trim(tx);
    begin(tx);
  }

  /** Sees to the first upkeep, if there is anything to keep up. */
  public void begin(Tx tx) {
    if (!log.isEmpty() || log.hasSurplus()) {
      keepUp(tx);
    }
  }

  private void keepUp(Tx tx) {
    if (!upkept) {
      upkept = true;
      Duration expiry = log.untilExpiry();
      Duration next = expiry.compareTo(MIN_UPKEEP) < 0 ? MIN_UPKEEP : expiry;
      tx.at(tx.nanos() + (log.hasSurplus() ? TRIM_INTERVAL : next).toNanos(), this::upkeep);
    }
  }

  /** The shard is gone: gives back what it used of the node's memory. */
  public void close() {
    if (!closed) {
      closed = true;
      memory.use(-(long) unanswered.size() * RequestMemory.RESERVED, 0);
      unanswered.clear();
      log.close();
    }
  }

  private void settle(RecordingReply<?> answered) {
    if (unanswered.remove(answered.idempotentRequest.id(), answered)) {
      memory.use(-RequestMemory.RESERVED, 0);
    }
  }

  /** Another sending of a request whose answer is still to come. */
  private record JoinedReply<R>(IdempotentRequest<R> idempotentRequest, Reply<R> reply) {
    void send(Tx tx, byte[] answer) {
      R given;
      try {
        given = decode(idempotentRequest, answer);
      } catch (Failure notOurs) {
        reply.fail(tx, notOurs);
        return;
      }
      reply.send(tx, given);
    }
  }

  /** Keeps the answer on its way out, and gives it to those who asked the same meanwhile. */
  private final class RecordingReply<R> implements Reply<R>, Runnable {
    private final IdempotentRequest<R> idempotentRequest;
    private final Reply<R> reply;
    private final List<JoinedReply<?>> joined = new ArrayList<>(0);
    private RecordedTx tx;
    private boolean hadEffect;
    private byte[] answer;

    RecordingReply(IdempotentRequest<R> idempotentRequest, Reply<R> reply) {
      this.idempotentRequest = idempotentRequest;
      this.reply = reply;
    }

    void join(JoinedReply<?> another) {
      joined.removeIf(other -> other.reply().isAbandoned());
      if (joined.size() >= MAX_JOINED) {
        throw new Failure.Exhausted(
            ErrorReason.ERROR_REASON_OVERLOADED,
            "request_id",
            MAX_JOINED + " calls already wait for the answer to this request",
            MIN_UPKEEP);
      }
      joined.add(another);
    }

    /** So that it learns whether the transaction has an effect. */
    void joins(RecordedTx now) {
      if (tx != now) {
        tx = now;
        tx.beforeCommit(this);
      }
    }

    /** When the transaction is complete. */
    @Override
    public void run() {
      hadEffect |= tx.isDirty();
      if (answer != null && unanswered.get(idempotentRequest.id()) == this) {
        settle(this);
        keep();
      }
      tx = null;
    }

    private void keep() {
      if (hadEffect) {
        boolean tooLarge = answer.length > MAX_ANSWER;
        tx.append(
            log,
            RequestRow.entry(
                idempotentRequest.id(), idempotentRequest.fingerprint(), tooLarge ? null : answer));
        keepUp(tx);
      } else {
        noEffects.add(
            idempotentRequest.id(), new RememberedAnswer(idempotentRequest.fingerprint(), answer));
      }
    }

    @Override
    public void send(Tx now, R given) {
      if (answer != null) {
        return;
      }
      answer = idempotentRequest.encode().apply(given);
      joins((RecordedTx) now);
      reply.send(now, given);
      joined.forEach(other -> other.send(now, answer));
    }

    /** A refusal changed nothing, so the same request may be tried again. */
    @Override
    public void fail(Tx now, Failure failure) {
      if (answer != null) {
        return;
      }
      settle(this);
      reply.fail(now, failure);
      joined.forEach(other -> other.reply().fail(now, failure));
    }

    /**
     * What it rests on is durable, but itself it is not: it leaves with the commit that keeps it.
     */
    @Override
    public void sendNow(R given) {
      hadEffect();
      send(tx, given);
    }

    /** Of something that no row shows, such as ids from a block that is durable already. */
    @Override
    public void hadEffect() {
      hadEffect = true;
      reply.hadEffect();
    }

    @Override
    public boolean isAbandoned() {
      return reply.isAbandoned() && joined.stream().allMatch(other -> other.reply().isAbandoned());
    }
  }
}
