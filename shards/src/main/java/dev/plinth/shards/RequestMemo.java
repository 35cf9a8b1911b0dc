package dev.plinth.shards;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.store.Row;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The last answers of a shard by request id. An answer that came with writes is kept with them, in
 * the same commit, in a ring of rows: the newest takes the place of the oldest, so nothing has to
 * be deleted. One that changed nothing is kept in memory only.
 */
final class RequestMemo {
  static final String PREFIX = "requests/";
  private static final byte FORMAT = 1;

  private static final class Entry {
    final String id;
    final long fingerprint;

    /** Null while the answer is still to come. */
    byte[] answer;

    final List<JoinedReply<?>> joined = new ArrayList<>();

    Entry(String id, long fingerprint) {
      this.id = id;
      this.fingerprint = fingerprint;
    }
  }

  private final Map<String, Entry> entries = new HashMap<>();
  private final String[] ring;
  private long next;

  RequestMemo(int size) {
    ring = new String[size];
  }

  void load(List<Row> rows) {
    rows.stream().filter(row -> row.key().startsWith(PREFIX)).forEach(this::load);
  }

  /**
   * The reply to answer through if this request is new. Empty if it is not: then its answer is on
   * the way through {@code reply}, now or when the first one gets it.
   */
  <R> Optional<Reply<R>> admit(Request<R> request, Tx tx, Reply<R> reply) {
    Entry known = entries.get(request.id());
    if (known == null) {
      Entry entry = new Entry(request.id(), request.fingerprint());
      entries.put(request.id(), entry);
      return Optional.of(new Remembering<>(request, entry, reply));
    }
    if (known.fingerprint != request.fingerprint()) {
      throw new Failure.Invalid(
          ErrorReason.ERROR_REASON_REQUEST_ID_REUSED,
          List.of(
              new Failure.Invalid.Violation(
                  "request_id", "was used before with another request (expected: a new id)")));
    }
    if (known.answer != null) {
      reply.send(tx, request.decode().apply(known.answer));
    } else {
      known.joined.add(new JoinedReply<>(request, reply));
    }
    return Optional.empty();
  }

  /** Another sending of a request whose answer is still to come. */
  private record JoinedReply<R>(Request<R> request, Reply<R> reply) {
    void send(Tx tx, byte[] answer) {
      reply.send(tx, request.decode().apply(answer));
    }
  }

  /** Keeps the answer on its way out, and gives it to those who asked the same meanwhile. */
  private final class Remembering<R> implements Reply<R> {
    private final Request<R> request;
    private final Entry entry;
    private final Reply<R> reply;

    Remembering(Request<R> request, Entry entry, Reply<R> reply) {
      this.request = request;
      this.entry = entry;
      this.reply = reply;
    }

    @Override
    public void send(Tx tx, R answer) {
      if (entry.answer != null) {
        return;
      }
      entry.answer = request.encode().apply(answer);
      keep(entry, (ShardTx) tx);
      reply.send(tx, answer);
      entry.joined.forEach(joined -> joined.send(tx, entry.answer));
    }

    /** A refusal changed nothing, so the same request may be tried again. */
    @Override
    public void fail(Tx tx, Failure failure) {
      entries.remove(entry.id, entry);
      reply.fail(tx, failure);
      entry.joined.forEach(joined -> joined.reply().fail(tx, failure));
    }

    @Override
    public void sendNow(R answer) {
      throw new IllegalStateException("an answer to be remembered leaves with its commit");
    }

    @Override
    public void hadEffect() {
      reply.hadEffect();
    }

    @Override
    public boolean isAbandoned() {
      return reply.isAbandoned()
          && entry.joined.stream().allMatch(joined -> joined.reply().isAbandoned());
    }
  }

  private void keep(Entry entry, ShardTx tx) {
    long number = next++;
    int slot = (int) (number % ring.length);
    String oldest = ring[slot];
    if (oldest != null) {
      entries.remove(oldest);
    }
    ring[slot] = entry.id;
    tx.beforeCommit(
        () -> {
          if (tx.isDirty()) {
            tx.put(key(slot), encode(number, entry));
          }
        });
  }

  private void load(Row row) {
    ByteBuffer in = ByteBuffer.wrap(row.value());
    byte format = in.get();
    if (format != FORMAT) {
      throw new IllegalStateException(
          "request row format " + format + " (expected: " + FORMAT + ")");
    }
    long number = in.getLong();
    long fingerprint = in.getLong();
    byte[] id = new byte[in.getShort()];
    in.get(id);
    Entry entry = new Entry(new String(id, StandardCharsets.UTF_8), fingerprint);
    entry.answer = new byte[in.remaining()];
    in.get(entry.answer);
    entries.put(entry.id, entry);
    ring[(int) (number % ring.length)] = entry.id;
    next = Math.max(next, number + 1);
  }

  private static byte[] encode(long number, Entry entry) {
    byte[] id = entry.id.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(1 + 8 + 8 + 2 + id.length + entry.answer.length)
        .put(FORMAT)
        .putLong(number)
        .putLong(entry.fingerprint)
        .putShort((short) id.length)
        .put(id)
        .put(entry.answer)
        .array();
  }

  private static String key(int slot) {
    String number = Integer.toString(slot); // not by a Formatter: this is on every write's way
    return PREFIX + "00000".substring(Math.min(number.length(), 5)) + number;
  }
}
