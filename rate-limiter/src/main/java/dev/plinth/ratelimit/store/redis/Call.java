package dev.plinth.ratelimit.store.redis;

import dev.plinth.ratelimit.core.Outcome;
import dev.plinth.ratelimit.core.Request;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One batch on its way. It is sent again only when Redis itself said that it did nothing: it did
 * not know the script, was not given the right windows of a calendar, or has not these keys.
 */
final class Call {
  private static final int MOST_MISSES = 3;

  private final RedisBudgetStore store;
  private final String domain;
  private final List<Request> requests;
  private final CompletableFuture<long[]> answer = new CompletableFuture<>();
  private final long deadline;
  private volatile RedisFuture<long[]> command;
  private volatile Link.Up link; // of the last time that it was sent
  private int misses;

  /**
   * @param deadline on the monotonic clock, for it and all its parts
   */
  Call(RedisBudgetStore store, String domain, List<Request> requests, long deadline) {
    this.store = store;
    this.domain = domain;
    this.requests = requests;
    this.deadline = deadline;
  }

  /** Some of its requests, for the same connection, which keeps what is sent in order. */
  Call part(List<Request> some) {
    Call part = new Call(store, domain, some, deadline);
    part.link = link;
    return part;
  }

  /** Nanoseconds, none or less if it is too late. */
  long timeLeft() {
    return deadline - System.nanoTime();
  }

  CompletableFuture<long[]> answer() {
    return answer;
  }

  List<Request> requests() {
    return requests;
  }

  List<Outcome> outcomes(long[] numbers) {
    return Outcomes.of(numbers, requests.size());
  }

  /** By its digest. */
  void send() {
    send(CommandType.EVALSHA, Script.BUDGETS.digest());
  }

  private void send(CommandType type, byte[] script) {
    Link.Up known = link;
    send(type, script, known != null ? known : store.links().pick(domain).orElse(null));
  }

  private void send(CommandType type, byte[] script, Link.Up link) {
    this.link = link;
    if (link == null) {
      answer.completeExceptionally(
          Failing.notSent(store.links().trouble().orElse("not connected")));
      return;
    }
    RedisFuture<long[]> sent =
        link.run(
            type,
            Batch.args(script, domain, requests, store.time().getAsLong(), store.clock().micros()));
    command = sent;
    if (answer.isDone()) {
      sent.cancel(false);
    }
    sent.whenComplete((numbers, failure) -> answered(link, numbers, failure));
  }

  private void answered(Link.Up link, long[] numbers, Throwable failure) {
    if (failure != null) {
      link.failed(failure);
    }
    if (answer.isDone()) {
      return; // too late
    }
    try {
      Optional<String> moved =
          failure == null ? Optional.empty() : ErrorReply.of(failure).flatMap(ErrorReply::movedTo);
      if (failure instanceof RedisNoScriptException) {
        // With its whole text, which Redis then knows. It cannot be missing again.
        send(CommandType.EVAL, Script.BUDGETS.text());
      } else if (moved.isPresent() && ++misses < MOST_MISSES) {
        send(
            CommandType.EVAL,
            Script.BUDGETS.text(),
            store.links().pickMoved(link, moved.get()).orElse(null));
      } else if (failure != null) {
        answer.completeExceptionally(Failing.isOwn(failure) ? failure : Failing.of(failure));
      } else {
        store.clock().saw(Outcomes.time(numbers));
        if (!Outcomes.missed(numbers)) {
          answer.complete(numbers);
        } else if (++misses < MOST_MISSES) {
          send();
        } else {
          answer.completeExceptionally(Failing.notSent("its clock does not stand still"));
        }
      }
    } catch (RuntimeException e) {
      answer.completeExceptionally(Failing.of(e));
    }
  }

  /** Nobody waits any more: what was not yet written need not be. */
  void giveUp() {
    RedisFuture<long[]> sent = command;
    if (sent != null) {
      sent.cancel(false);
    }
  }
}
