package dev.plinth.lease.core;

import dev.plinth.server.failure.Failure;
import dev.plinth.shards.RowReader;
import dev.plinth.shards.Tx;

/**
 * The highest token seen per resource, for resources that cannot keep it themselves. It never
 * falls.
 */
public final class Fences {
  static final String PREFIX = "lease/f/";

  private final PersistentCounters floors = new PersistentCounters(PREFIX);
  private final LeaseNamespaces leaseNamespaces;
  private final LeaseEvents events;

  Fences(LeaseNamespaces leaseNamespaces, LeaseEvents events) {
    this.leaseNamespaces = leaseNamespaces;
    this.events = events;
  }

  void load(RowReader row) {
    floors.load(row);
  }

  /**
   * The floor afterwards; a token below it was not accepted. One that no lease was ever given is
   * refused: it would bar the resource to every real holder, for ever.
   */
  public long raise(LeaseName resource, long token, Tx tx) {
    if (token > tx.tokenLimit()) {
      throw Failure.Invalid.field("token", token, "that of a lease of this namespace");
    }
    long floor = floors.get(resource);
    if (floor == 0) {
      int most = leaseNamespaces.policyOf(resource.namespace()).most(Quota.FENCES);
      LeaseNamespace.admit("fences", resource.namespace(), count(resource.namespace()) + 1, most);
    }
    if (token > floor) {
      floors.set(resource, token, tx);
      return token;
    }
    if (token < floor) {
      events.stale();
    }
    return floor;
  }

  /** How many resources of a namespace have a floor. */
  int count(String namespace) {
    return floors.count(namespace);
  }

  /** 0 if none was ever raised. */
  public long floor(LeaseName resource) {
    return floors.get(resource);
  }
}
