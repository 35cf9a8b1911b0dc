package dev.plinth.lease.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Some holds of a namespace in the order of their keys, then tokens.
 *
 * @param next where to go on; empty after the last page
 */
public record LeasePage(List<LeaseView> leases, Optional<Position> next) {
  // Keys and holds looked at for each hold that a page has room for: a filter leaves some out, and
  // keys that are only barred or awaited have none.
  private static final int MAX_VISITS_EACH = 10;
  // Many pages may be on their way at once; those of keys with large payloads have fewer of them.
  static final int MAX_BYTES = 128 * 1024;

  /** The last hold that was looked at; token 0 for a key that had none. */
  public record Position(String key, long token) {
    public static final Position START = new Position("", 0);
  }

  /**
   * What is asked for.
   *
   * @param ownerId only this owner's, unless empty
   * @param after goes on after this one
   */
  public record Request(String namespace, String prefix, String ownerId, Position after, int size) {
    /** The first key that may have any. */
    String firstKey() {
      return after.key().compareTo(prefix) < 0 ? prefix : after.key();
    }
  }

  /** Gathers a page key by key. */
  static final class Builder {
    private final Request request;
    private final long now;
    private final List<LeaseView> leases = new ArrayList<>();
    private Position last;
    private int visits;
    private int bytes;
    private boolean full;

    Builder(Request request, long now) {
      this.request = request;
      this.now = now;
    }

    /** False if the page is full before all of the key's holds are on it. */
    boolean add(LeaseKey key) {
      List<Hold> holds = key.holders.list();
      boolean goesOn = key.name.key().equals(request.after().key());
      int from = goesOn ? key.holders.indexOf(request.after().token() + 1) : 0;
      if (holds.isEmpty() && !goesOn) {
        if (isFull()) {
          full = true;
          return false;
        }
        visits++;
        last = new Position(key.name.key(), 0);
      }
      for (int i = from; i < holds.size(); i++) {
        if (isFull()) {
          full = true;
          return false;
        }
        Hold hold = holds.get(i);
        visits++;
        last = new Position(key.name.key(), hold.token);
        if (request.ownerId().isEmpty() || request.ownerId().equals(hold.leaseOwner.ownerId())) {
          LeaseView view = hold.view(now);
          leases.add(view);
          bytes += view.payload().length;
        }
      }
      return true;
    }

    private boolean isFull() {
      return leases.size() == request.size()
          || visits == (long) request.size() * MAX_VISITS_EACH
          || bytes >= MAX_BYTES;
    }

    LeasePage build() {
      return new LeasePage(leases, full ? Optional.of(last) : Optional.empty());
    }
  }
}
