package dev.plinth.ratelimit.store.redis;

import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Outcome;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One run of the script for one batch. It is retried only when Redis itself said that it did
 * nothing: it did not know the script, was not given the right windows of a calendar, or has not
 * these keys.
 */
final class ScriptCall {
  private static final int MAX_MISSES = 3;

  private final RedisBudgetStore store;
  private final String domain;
  private final List<BudgetRequest> requests;
  private final CompletableFuture<long[]> answer = new CompletableFuture<>();
  private final long deadline;
  private volatile RedisFuture<long[]> command;
  private volatile ReconnectingConnection.LiveConnection
      connection; // of the last time that it was sent
  private int misses;

  /**
   * @param deadline on the monotonic clock, for it and all its parts
   */
  ScriptCall(RedisBudgetStore store, String domain, List<BudgetRequest> requests, long deadline) {
    this.store = store;
    this.domain = domain;
    this.requests = requests;
    this.deadline = deadline;
  }

  /** Some of its requests, for the same connection, which keeps what is sent in order. */
  ScriptCall part(List<BudgetRequest> some) {
    ScriptCall part = new ScriptCall(store, domain, some, deadline);
    part.connection = connection;
    return part;
  }

  /** Nanoseconds, none or less if it is too late. */
  long timeLeft() {
    return deadline - store.nanos();
  }

  CompletableFuture<long[]> answer() {
    return answer;
  }

  List<BudgetRequest> requests() {
    return requests;
  }

  List<Outcome> outcomes(long[] numbers) {
    return OutcomeReader.of(numbers, requests.size());
  }

  /** By its digest. */
  void send() {
    send(CommandType.EVALSHA, RedisScript.BUDGETS.digest());
  }

  private void send(CommandType type, byte[] script) {
    ReconnectingConnection.LiveConnection known = connection;
    send(type, script, known != null ? known : store.connections().pick(domain).orElse(null));
  }

  private void send(
      CommandType type, byte[] script, ReconnectingConnection.LiveConnection connection) {
    this.connection = connection;
    if (connection == null) {
      answer.completeExceptionally(
          RedisFailures.notSent(store.connections().unavailableReason().orElse("not connected")));
      return;
    }
    RedisFuture<long[]> sent =
        connection.run(
            type,
            ScriptArguments.args(
                script, domain, requests, store.time().getAsLong(), store.clock().micros()));
    command = sent;
    if (answer.isDone()) {
      sent.cancel(false);
    }
    sent.whenComplete((numbers, failure) -> answered(connection, numbers, failure));
  }

  private void answered(
      ReconnectingConnection.LiveConnection connection, long[] numbers, Throwable failure) {
    if (failure != null) {
      connection.failed(failure);
    }
    if (answer.isDone()) {
      return; // too late
    }
    try {
      Optional<String> moved =
          failure == null ? Optional.empty() : ErrorReply.of(failure).flatMap(ErrorReply::movedTo);
      if (failure instanceof RedisNoScriptException) {
        // With its whole text, which Redis then knows. It cannot be missing again.
        send(CommandType.EVAL, RedisScript.BUDGETS.text());
      } else if (moved.isPresent() && ++misses < MAX_MISSES) {
        send(
            CommandType.EVAL,
            RedisScript.BUDGETS.text(),
            store.connections().pickMoved(connection, moved.get()).orElse(null));
      } else if (failure != null) {
        answer.completeExceptionally(
            RedisFailures.isOwn(failure) ? failure : RedisFailures.of(failure));
      } else {
        store.clock().saw(OutcomeReader.time(numbers));
        if (!OutcomeReader.missed(numbers)) {
          answer.complete(numbers);
        } else if (++misses < MAX_MISSES) {
          send();
        } else {
          answer.completeExceptionally(RedisFailures.notSent("its clock does not stand still"));
        }
      }
    } catch (RuntimeException e) {
      answer.completeExceptionally(RedisFailures.of(e));
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
