package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/** Ends of holds that an operator decides, at once or after a notice to the holders. */
public final class ForcedReleases {
  private final LeaseNamespaces leaseNamespaces;
  private final Holds holds;

  ForcedReleases(LeaseNamespaces leaseNamespaces, Holds holds) {
    this.leaseNamespaces = leaseNamespaces;
    this.holds = holds;
  }

  /** Ends holds over their holders' heads: the one under the token, or all if none is given. */
  public void release(
      LeaseName name,
      Optional<Long> token,
      HoldEnd how,
      BiConsumer<List<LeaseView>, Tx> done,
      Tx tx) {
    List<Hold> doomed = holdsOf(name, token);
    List<LeaseView> views = doomed.stream().map(hold -> hold.view(tx.nanos())).toList();
    holds.endEach(doomed, how, tx, last -> done.accept(views, last));
  }

  /** Asks the holders first; what they still hold after the grace ends by force. */
  public void releaseAfterNotice(
      LeaseName name,
      Optional<Long> token,
      Duration grace,
      HoldEnd how,
      BiConsumer<List<LeaseView>, Tx> done,
      Tx tx) {
    List<Hold> asked = holdsOf(name, token);
    holds.requestReleaseOfEach(
        asked,
        grace,
        how,
        tx,
        last -> done.accept(asked.stream().map(h -> h.view(last.nanos())).toList(), last));
  }

  private List<Hold> holdsOf(LeaseName name, Optional<Long> token) {
    return leaseNamespaces.find(name).stream()
        .flatMap(key -> key.holders.stream())
        .filter(hold -> token.isEmpty() || token.get() == hold.token)
        .toList();
  }
}
