package dev.plinth.client.internal.session;

import com.google.protobuf.FieldMask;
import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.session.Membership.Desired;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.registry.v1.UpdateMemberRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * Brings what a member should be to others to the server: one update at a time, each with
 * everything, so none can undo a later one. On the event loop.
 */
final class MemberUpdates {
  private static final FieldMask EVERYTHING =
      FieldMask.newBuilder()
          .addAllPaths(List.of("labels", "endpoints", "weight", "draining"))
          .build();
  private static final int USUAL_WEIGHT = 100;

  private final ClientRuntime runtime;
  private final LongSupplier incarnation;
  private final List<CompletableFuture<Void>> waiters = new ArrayList<>();
  private Desired desired;
  private Desired applied;
  private boolean updating;

  /**
   * @param incarnation that updates are for; 0 if there is none
   */
  MemberUpdates(Desired first, ClientRuntime runtime, LongSupplier incarnation) {
    this.desired = first;
    this.runtime = runtime;
    this.incarnation = incarnation;
  }

  Desired desired() {
    return desired;
  }

  /** The server has a new incarnation, with what was sent. */
  void registered(Desired sent) {
    desired = desired.onceJoined();
    applied = new Desired(sent.onceJoined().attributes(), false);
  }

  /**
   * @param done completes when the server has it, or will be told when it registers the member
   */
  void change(UnaryOperator<Desired> change, CompletableFuture<Void> done) {
    desired = change.apply(desired);
    waiters.add(done);
    reconcile();
  }

  void reconcile() {
    long current = incarnation.getAsLong();
    if (current == 0 || desired.equals(applied)) {
      eachWaiter(waiter -> waiter.complete(null));
      return;
    }
    if (updating) {
      return;
    }
    updating = true;
    Desired sent = desired;
    UpdateMemberRequest request =
        UpdateMemberRequest.newBuilder()
            .setNamespace(sent.attributes().getNamespace())
            .setGroup(sent.attributes().getGroup())
            .setName(sent.attributes().getName())
            .setIncarnation(current)
            .setUpdateMask(EVERYTHING)
            .putAllLabels(sent.attributes().getLabelsMap())
            .addAllEndpoints(sent.attributes().getEndpointsList())
            .setWeight(sent.attributes().hasWeight() ? sent.attributes().getWeight() : USUAL_WEIGHT)
            .setDraining(sent.draining())
            .setRequestId(runtime.newRequestId())
            .build();
    runtime
        .retried(RegistryServiceGrpc.getUpdateMemberMethod(), request)
        .whileWanted(() -> incarnation.getAsLong() == current)
        .send()
        .whenComplete(
            (answer, thrown) ->
                runtime.environment().loop().execute(() -> updated(current, sent, thrown)));
  }

  private void updated(long of, Desired sent, Throwable thrown) {
    updating = false;
    if (incarnation.getAsLong() == of) {
      if (thrown == null) {
        applied = sent;
      } else if (thrown instanceof CallFailedException failure
          && !Membership.NOT_THERE.contains(failure.reason())) {
        desired = applied;
        eachWaiter(waiter -> waiter.completeExceptionally(failure));
      } else {
        eachWaiter(waiter -> waiter.complete(null)); // the next beat tells of the loss
        return;
      }
    }
    reconcile();
  }

  private void eachWaiter(Consumer<CompletableFuture<Void>> tell) {
    List<CompletableFuture<Void>> all = List.copyOf(waiters);
    waiters.clear();
    all.forEach(tell);
  }
}
