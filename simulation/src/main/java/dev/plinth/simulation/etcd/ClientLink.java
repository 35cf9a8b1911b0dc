package dev.plinth.simulation.etcd;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** The way between one client and etcd, with what is held up on it. */
final class ClientLink {
  private final RandomGenerator random;
  private final List<Runnable> heldUp = new ArrayList<>();
  private EtcdLinkState state = EtcdLinkState.OPEN;

  ClientLink(RandomGenerator random) {
    this.random = random;
  }

  EtcdLinkState state() {
    return state;
  }

  void set(EtcdLinkState next) {
    state = next;
    List<Runnable> late = List.copyOf(heldUp);
    heldUp.clear();
    if (next == EtcdLinkState.OPEN) {
      late.stream().filter(message -> random.nextBoolean()).forEach(Runnable::run);
    } else if (next != EtcdLinkState.REFUSED) {
      heldUp.addAll(late);
    }
  }

  /** A request comes to the end of the way. */
  void request(Runnable delivered) {
    pass(delivered, state == EtcdLinkState.SILENT);
  }

  /** An answer comes to the end of the way. */
  void answer(Runnable delivered) {
    pass(delivered, state == EtcdLinkState.SILENT || state == EtcdLinkState.ANSWERS_LOST);
  }

  private void pass(Runnable delivered, boolean isHeldUp) {
    if (isHeldUp) {
      heldUp.add(delivered);
    } else if (state != EtcdLinkState.REFUSED) {
      delivered.run();
    }
  }

  /** The connections are gone, and what was on them. */
  void forget() {
    heldUp.clear();
  }
}
