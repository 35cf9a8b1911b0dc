package dev.plinth.simulation.workload;

import com.google.protobuf.Message;
import dev.plinth.simulation.kernel.Simulation;
import io.grpc.MethodDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Asks the servers once all is healed, and lets time pass until they answer. */
public final class FinalQuestions {
  private static final long SECOND = 1_000_000_000L;
  private static final long ANSWERED_WITHIN = 60;

  private final WireClient client;
  private final Simulation simulation;

  FinalQuestions(WireClient client, Simulation simulation) {
    this.client = client;
    this.simulation = simulation;
  }

  public <Q extends Message, A extends Message> A ask(MethodDescriptor<Q, A> method, Q request) {
    List<A> answers = new ArrayList<>();
    new RetriedRequest<>(
            client,
            method,
            request,
            Patience.endless(5000, 200),
            answer -> false,
            RetriedRequest.Ending.of(
                answers::add,
                (failure, none) -> {
                  throw new IllegalStateException(method.getBareMethodName() + ": " + failure);
                }))
        .start();
    simulation.runUntil(simulation.now() + ANSWERED_WITHIN * SECOND, () -> !answers.isEmpty());
    if (answers.isEmpty()) {
      throw new AssertionError("no answer to " + method.getBareMethodName() + request);
    }
    return answers.get(0);
  }

  /** Asks every half second until the answer is as it must be; the last one. */
  public <Q extends Message, A extends Message> A askUntil(
      MethodDescriptor<Q, A> method, Q request, long seconds, Predicate<A> holds) {
    long end = simulation.now() + seconds * SECOND;
    A answer = ask(method, request);
    while (!holds.test(answer) && simulation.now() < end) {
      simulation.runUntil(simulation.now() + SECOND / 2);
      answer = ask(method, request);
    }
    return answer;
  }
}
