package dev.plinth.simulation.workload;

import io.grpc.CallOptions;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * One request, sent from node to node until one answers. All attempts are one request to the
 * servers, by its id: whichever answers come, those that tell of an effect are the same.
 */
public final class RetriedRequest<Q, A> {
  /** Hears of the end, once. */
  public interface Ending<A> {
    void answered(A answer);

    /**
     * @param failure of the last attempt
     * @param none whether no attempt can have had an effect
     */
    void failed(CallFailure failure, boolean none);

    static <A> Ending<A> of(Consumer<A> answered, BiConsumer<CallFailure, Boolean> failed) {
      return new Ending<>() {
        @Override
        public void answered(A answer) {
          answered.accept(answer);
        }

        @Override
        public void failed(CallFailure failure, boolean none) {
          failed.accept(failure, none);
        }
      };
    }
  }

  private static final long FULL_MILLIS = 1000;

  private final WireClient client;
  private final MethodDescriptor<Q, A> method;
  private final Patience patience;
  private final Predicate<A> hasEffect;
  private final Ending<A> ending;
  private final Q original;
  private Q request;
  private Optional<Q> cancel = Optional.empty();
  private Optional<A> answer = Optional.empty();
  private Optional<A> refusal = Optional.empty();
  private Optional<CallFailure> refused = Optional.empty();
  private boolean cancelling;
  private boolean believing;
  private boolean cancelsRefusals;
  private boolean ended;
  private boolean takenBack;
  private boolean mayHaveHappened;
  private int attempts;
  private int underWay;
  private int node;

  /**
   * @param hasEffect whether an answer must be the same whenever the request is sent again
   */
  public RetriedRequest(
      WireClient client,
      MethodDescriptor<Q, A> method,
      Q request,
      Patience patience,
      Predicate<A> hasEffect,
      Ending<A> ending) {
    this.client = client;
    this.method = method;
    this.original = request;
    this.request = request;
    this.patience = patience;
    this.hasEffect = hasEffect;
    this.ending = ending;
    this.node = client.served();
  }

  public void start() {
    client.log().opened();
    attempt();
    if (patience.hedged()) {
      attempt();
    }
  }

  /** What takes the request back; its answer tells how the request ended. */
  public RetriedRequest<Q, A> cancelledBy(Q other) {
    cancel = Optional.of(other);
    return this;
  }

  /** Now and then ends with an attempt that says it had no effect, instead of sending another. */
  RetriedRequest<Q, A> believing() {
    believing = true;
    return this;
  }

  /** A refusal is settled by a cancel even where nothing is in doubt. */
  RetriedRequest<Q, A> cancellingRefusals() {
    cancelsRefusals = true;
    return this;
  }

  /** Takes back what was never sent. */
  void startCancelled() {
    cancelling = true;
    request = cancel.orElseThrow();
    start();
  }

  /** What was taken back, sent once more long after: it must take nothing. */
  void replayIfTakenBack() {
    if (takenBack) {
      client.log().count("replays");
      request = original;
      cancelling = false;
      attempt();
    }
  }

  /** How often it was sent. */
  int attempts() {
    return attempts;
  }

  /** The caller wants it no more. */
  public void giveUp() {
    if (!ended && !cancelling) {
      cancelling = true;
      request = cancel.orElseThrow();
      attempt();
    }
  }

  /** Long after its end: the answer must be the first one. */
  void sendAgain() {
    client.log().count("late retries");
    attempt();
  }

  private void attempt() {
    int to = node;
    boolean byCancel = cancelling;
    node = (node + 1) % client.nodes();
    attempts++;
    underWay++;
    Deadline deadline =
        Deadline.after(patience.attemptMillis(), TimeUnit.MILLISECONDS, client.machine().ticker());
    ClientCalls.asyncUnaryCall(
        client.channel(to).newCall(method, CallOptions.DEFAULT.withDeadline(deadline)),
        request,
        new StreamObserver<A>() {
          @Override
          public void onNext(A told) {
            client.served(to);
            underWay--;
            answered(told, byCancel);
          }

          @Override
          public void onError(Throwable thrown) {
            underWay--;
            failed(CallFailure.of(thrown));
          }

          @Override
          public void onCompleted() {}
        });
  }

  private void answered(A told, boolean byCancel) {
    if (hasEffect.test(told)) {
      if (answer.isPresent() && !answer.get().equals(told)) {
        client
            .log()
            .violation(
                "%s of %s: one request, two answers: %s and %s"
                    .formatted(method.getBareMethodName(), client.name(), answer.get(), told));
      }
      answer = Optional.of(told);
      if (takenBack) {
        client
            .log()
            .violation(method.getBareMethodName() + " was taken back, but later got " + told);
      }
    }
    if (!ended && !takesBack(told, byCancel)) {
      end();
      takenBack = byCancel && !hasEffect.test(told);
      client.log().count("answered");
      if (hasEffect.test(told) || refusal.isEmpty() && refused.isEmpty()) {
        ending.answered(told);
      } else if (refusal.isPresent()) {
        ending.answered(refusal.get());
      } else {
        ending.failed(refused.get(), true);
      }
    }
  }

  /**
   * An answer without an effect settles nothing about attempts that may still be under way, since
   * it is not remembered for ever: they could be granted what the caller was refused.
   */
  private boolean takesBack(A told, boolean byCancel) {
    if (byCancel || hasEffect.test(told) || cancel.isEmpty()) {
      return false;
    }
    refusal = Optional.of(told);
    if (cancelling) {
      return true; // the cancel's answer counts
    }
    if (underWay == 0 && !mayHaveHappened && !cancelsRefusals) {
      return false;
    }
    client.log().count("taken back");
    giveUp();
    return true;
  }

  private void failed(CallFailure failure) {
    client.log().count("failed " + failure.code() + " " + failure.reason());
    if (failure.isBug()) {
      client.log().violation(method.getBareMethodName() + " of " + client.name() + ": " + failure);
    }
    mayHaveHappened |= !failure.hadNoEffect();
    if (ended) {
      return;
    }
    boolean surelyNone = failure.none() && !mayHaveHappened && underWay == 0 && !cancelling;
    if (believing && surelyNone && client.random().nextBoolean()) {
      client.log().count("believed");
      end();
      ending.failed(failure, true);
    } else if (failure.isRetried() && attempts < patience.most()) {
      client.after(
          failure.code() == Status.Code.RESOURCE_EXHAUSTED ? FULL_MILLIS : patience.pauseMillis(),
          () -> {
            if (!ended) {
              attempt();
            }
          });
    } else if (cancel.isPresent() && !cancelling && (mayHaveHappened || underWay > 0)) {
      client.log().count("taken back");
      refused = Optional.of(failure);
      giveUp();
    } else if (underWay == 0) {
      end();
      ending.failed(failure, !mayHaveHappened);
    }
  }

  private void end() {
    ended = true;
    client.log().closed();
  }
}
