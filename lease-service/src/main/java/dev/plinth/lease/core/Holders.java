package dev.plinth.lease.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The holds of one key in the order of their tokens. One of thousands is found, added or removed
 * without a walk over the others.
 */
final class Holders {
  // Below this a walk is cheaper than a map.
  private static final int FEW = 8;

  private final List<Hold> holds = new ArrayList<>(1);
  private Map<LeaseOwner, Hold> byParty;

  /** All holds of a party that has several, as a transfer can give it, by token. */
  private final Map<LeaseOwner, TreeMap<Long, Hold>> several = new HashMap<>();

  private long indexed;
  private int shared;
  private int permits;
  private int weight;

  int size() {
    return holds.size();
  }

  boolean isEmpty() {
    return holds.isEmpty();
  }

  Stream<Hold> stream() {
    return holds.stream();
  }

  List<Hold> list() {
    return holds;
  }

  /** What semaphore holds take of the capacity. */
  int weight() {
    return weight;
  }

  void add(Hold hold) {
    // A stored key's come in any order, new ones at the end.
    holds.add(indexOf(hold.token), hold);
    count(hold, 1);
    if (byParty != null) {
      index(hold);
    } else if (holds.size() > FEW) {
      indexAll();
    }
  }

  void remove(Hold hold) {
    int at = indexOf(hold.token);
    if (at == holds.size() || holds.get(at) != hold) {
      return;
    }
    holds.remove(at);
    count(hold, -1);
    if (holds.size() <= FEW) {
      byParty = null;
      several.clear();
    } else if (byParty != null && hold.leaseMode != LeaseMode.SEMAPHORE) {
      unindex(hold);
    }
  }

  private void indexAll() {
    byParty = new HashMap<>();
    holds.forEach(this::index);
  }

  private void index(Hold hold) {
    if (hold.leaseMode == LeaseMode.SEMAPHORE) {
      return;
    }
    indexed++;
    Hold other = byParty.putIfAbsent(hold.leaseOwner, hold);
    if (other != null) {
      TreeMap<Long, Hold> all = several.computeIfAbsent(hold.leaseOwner, p -> new TreeMap<>());
      all.put(other.token, other);
      all.put(hold.token, hold);
      byParty.put(hold.leaseOwner, all.firstEntry().getValue());
    }
  }

  private void unindex(Hold hold) {
    TreeMap<Long, Hold> all = several.get(hold.leaseOwner);
    if (all == null) {
      byParty.remove(hold.leaseOwner, hold);
      return;
    }
    all.remove(hold.token);
    byParty.put(hold.leaseOwner, all.firstEntry().getValue());
    if (all.size() == 1) {
      several.remove(hold.leaseOwner);
    }
  }

  /** How often a hold was put in order by its party: what changes cost. */
  long indexed() {
    return indexed;
  }

  /** From now on nobody else may hold it. */
  void makeExclusive(Hold hold) {
    count(hold, -1);
    hold.leaseMode = LeaseMode.EXCLUSIVE;
    count(hold, 1);
  }

  private void count(Hold hold, int change) {
    shared += hold.leaseMode == LeaseMode.SHARED ? change : 0;
    permits += hold.leaseMode == LeaseMode.SEMAPHORE ? change : 0;
    weight += change * hold.weight;
  }

  /** Null if there is none under this token. */
  Hold get(long token) {
    int at = indexOf(token);
    return at < holds.size() && holds.get(at).token == token ? holds.get(at) : null;
  }

  /** The first that the party could enter once more; null if there is none. */
  Hold of(LeaseOwner leaseOwner) {
    if (byParty != null) {
      return byParty.get(leaseOwner);
    }
    for (Hold hold : holds) {
      if (hold.leaseMode != LeaseMode.SEMAPHORE && hold.isOf(leaseOwner)) {
        return hold;
      }
    }
    return null;
  }

  boolean allGoWith(LeaseMode leaseMode) {
    return switch (leaseMode) {
      case EXCLUSIVE -> holds.isEmpty();
      case SHARED -> shared == holds.size();
      case SEMAPHORE -> permits == holds.size();
    };
  }

  /** Where this token is, or would be. */
  int indexOf(long token) {
    int low = 0;
    int high = holds.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (holds.get(middle).token < token) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
