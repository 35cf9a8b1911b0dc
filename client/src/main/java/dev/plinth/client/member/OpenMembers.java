package dev.plinth.client.member;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.OrderedSet;
import dev.plinth.client.internal.session.Membership;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** All members of a client that are not closed. They leave together, after one drain delay. */
final class OpenMembers implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.client");

  private final OrderedSet<PlinthMember> members = new OrderedSet<>();
  private final ClientRuntime runtime;

  OpenMembers(ClientRuntime runtime) {
    this.runtime = runtime;
  }

  void add(PlinthMember member) {
    members.add(member);
  }

  void close(PlinthMember member) {
    close(List.of(member));
  }

  /** One that could not join leaves without anybody waiting for it. */
  void giveUp(PlinthMember member) {
    if (member.beginClose()) {
      member.membership().leave();
    }
    members.remove(member);
  }

  /** With the client. */
  @Override
  public void close() {
    close(members.copy());
  }

  private void close(List<PlinthMember> those) {
    List<PlinthMember> leaving = those.stream().filter(PlinthMember::beginClose).toList();
    try {
      drain(leaving.stream().filter(member -> member.membership().incarnation() != 0).toList());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    // All of them first: an interrupt must not keep any from leaving.
    List<CompletableFuture<Void>> left =
        leaving.stream().map(member -> member.membership().leave()).toList();
    leaving.forEach(members::remove);
    try {
      awaitAll(left);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void drain(List<PlinthMember> registered) throws InterruptedException {
    Duration delay =
        registered.stream().map(PlinthMember::drainDelay).reduce(Duration.ZERO, ClientWire::longer);
    if (delay.isZero()) {
      return;
    }
    List<CompletableFuture<Void>> drained =
        registered.stream()
            .filter(member -> !member.drainDelay().isZero())
            .map(
                member ->
                    member
                        .membership()
                        .update(now -> new Membership.Desired(now.attributes(), true)))
            .toList();
    awaitAll(drained);
    runtime.machine().pause(delay);
  }

  private void awaitAll(List<CompletableFuture<Void>> futures) throws InterruptedException {
    try {
      runtime.await(
          CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)),
          runtime.callDeadline());
    } catch (CallFailedException e) {
      log.log(Level.INFO, "members leave by the end of their session: {0}", e.getMessage());
    }
  }
}
