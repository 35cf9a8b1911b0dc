package dev.plinth.client.member;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.MembershipState;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.session.Membership;
import dev.plinth.registry.v1.RegisterRequest;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;

/**
 * This process as a member of a group, until it is closed. Beats keep it; they are those of the
 * client's one session in the namespace. If the server has lost it, the client registers it again,
 * as a new incarnation, for as long as it takes.
 *
 * <p>It is LOST here, by this machine's monotonic clock, before the server can declare it dead. If
 * the server kept it all the same, it is JOINED again in the same incarnation.
 */
public final class PlinthMember implements AutoCloseable {
  private final Membership membership;
  private final JoinOptions options;
  private final OpenMembers all;
  private final ClientRuntime runtime;
  private final AtomicBoolean closing = new AtomicBoolean();

  PlinthMember(Membership membership, JoinOptions options, OpenMembers all, ClientRuntime runtime) {
    this.membership = membership;
    this.options = options;
    this.all = all;
    this.runtime = runtime;
  }

  public String group() {
    return membership.name().getGroup();
  }

  public String name() {
    return membership.name().getName();
  }

  public MembershipState state() {
    return membership.state();
  }

  /**
   * The incarnation in which it is a member, for whatever is done in that name.
   *
   * @throws MembershipLostException if it may not be one any more, or if the machine has slept past
   *     its time and the server has not answered since
   */
  public long requireJoined() {
    MembershipState state = state();
    long incarnation = membership.incarnation();
    if (incarnation == 0 || state == MembershipState.LOST) {
      throw new MembershipLostException(group() + "/" + name(), state);
    }
    return incarnation;
  }

  /** Each time a beat fails or the machine seems to have slept; at once if that is so. */
  public void onJeopardy(Runnable task) {
    membership.listeners().on(MembershipState.JEOPARDY, incarnation -> task.run());
  }

  /**
   * Each time it may not be a member any more, before the server can declare it dead; at once if
   * that is so. Not when it is closed.
   */
  public void onLost(Runnable task) {
    membership.listeners().on(MembershipState.LOST, incarnation -> task.run());
  }

  /** Each time it is a member again after it was lost, with its incarnation. */
  public void onRejoined(LongConsumer task) {
    membership.listeners().on(MembershipState.JOINED, task);
  }

  /**
   * Asks for no more work: it is DRAINING, also in later incarnations.
   *
   * @throws CallFailedException if the server refused it or did not answer
   */
  public void drain() throws InterruptedException {
    update(now -> new Membership.Desired(now.attributes(), true));
  }

  /** Takes work again. */
  public void undrain() throws InterruptedException {
    update(now -> new Membership.Desired(now.attributes(), false));
  }

  /** In place of all labels it had; also in later incarnations. */
  public void setLabels(Map<String, String> labels) throws InterruptedException {
    change(attributes -> attributes.clearLabels().putAllLabels(labels));
  }

  /** Its share of work, 0 to 1,000,000; also in later incarnations. */
  public void setWeight(int share) throws InterruptedException {
    change(attributes -> attributes.setWeight(share));
  }

  private void change(UnaryOperator<RegisterRequest.Builder> change) throws InterruptedException {
    update(
        now ->
            new Membership.Desired(
                change.apply(now.attributes().toBuilder()).build(), now.draining()));
  }

  private void update(UnaryOperator<Membership.Desired> change) throws InterruptedException {
    runtime.await(membership.update(change), runtime.operationTimeout());
  }

  Duration drainDelay() {
    return options.drainDelay();
  }

  Membership membership() {
    return membership;
  }

  /** True for the first caller alone. */
  boolean beginClose() {
    return closing.compareAndSet(false, true);
  }

  /**
   * It is DRAINING for its drain delay, so that others stop to send it work, and then has LEFT. An
   * interrupt cuts the delay short. After this nothing is sent for it; if it was the last of its
   * namespace, no beat either.
   */
  @Override
  public void close() {
    all.close(this);
  }

  @Override
  public String toString() {
    return group() + "/" + name() + ", " + state();
  }
}
