package dev.plinth.ratelimit.policy;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Event;
import dev.plinth.shards.ExpectedVersion;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The policies of one shard. Versions of a domain rise for ever: a deleted policy leaves its last
 * version behind, since budgets in the store remember it and take no lower one.
 *
 * <p>A rule keeps its version while it counts in the same way, so that a change of one rule leaves
 * the budgets of the others unchanged.
 */
public final class Policies {
  private final InstantSource clock;
  private final TreeMap<String, Entry> all = new TreeMap<>();

  /**
   * @param policy empty once it was deleted
   */
  private record Entry(long version, Optional<Policy> policy) {
    static final Entry NONE = new Entry(0, Optional.empty());

    /** 0 if there is none, whatever there was. */
    long current() {
      return policy.isPresent() ? version : 0;
    }
  }

  Policies(InstantSource clock) {
    this.clock = clock;
  }

  void load(Row row) {
    String domain = row.key().substring(PolicyRows.PREFIX.length());
    PolicyRows.Stored stored = PolicyRows.decode(domain, row);
    all.put(domain, new Entry(stored.version(), stored.policy()));
  }

  /**
   * Makes a policy or replaces it.
   *
   * @param rules whose versions are not looked at
   * @param expected the version it must have; 0 is that of one that is not there
   */
  public Policy put(String domain, List<Rule> rules, Optional<Long> expected, Tx tx) {
    Entry known = known(domain, expected);
    long version = known.version + 1;
    Instant now = Instant.ofEpochMilli(clock.millis());
    Policy policy = new Policy(domain, version, versioned(rules, known, version), now);
    keep(domain, new Entry(version, Optional.of(policy)), tx);
    return policy;
  }

  private static List<Rule> versioned(List<Rule> rules, Entry known, long version) {
    Map<String, Rule> before = new HashMap<>();
    known.policy.ifPresent(policy -> policy.rules().forEach(rule -> before.put(rule.name(), rule)));
    return rules.stream()
        .map(
            rule -> {
              Rule old = before.get(rule.name());
              boolean same = old != null && old.limit().equals(rule.limit());
              return rule.since(same ? old.version() : version);
            })
        .toList();
  }

  /** False if there was none. */
  public boolean delete(String domain, Optional<Long> expected, Tx tx) {
    Entry known = known(domain, expected);
    if (known.policy.isEmpty()) {
      return false;
    }
    keep(domain, new Entry(known.version + 1, Optional.empty()), tx);
    return true;
  }

  private Entry known(String domain, Optional<Long> expected) {
    Entry known = all.getOrDefault(domain, Entry.NONE);
    ExpectedVersion.check("the policy of " + domain, expected, known.current());
    return known;
  }

  private void keep(String domain, Entry entry, Tx tx) {
    all.put(domain, entry);
    byte[] row = PolicyRows.encode(entry.version, entry.policy);
    tx.put(PolicyRows.PREFIX + domain, row);
    tx.emit(new Event(domain, new PolicyChange(domain, entry.policy), row.length));
  }

  public Optional<Policy> find(String domain) {
    return all.getOrDefault(domain, Entry.NONE).policy;
  }

  public Policy get(String domain) {
    return find(domain).orElseThrow(() -> unknown(domain));
  }

  /** What is said of a domain that has no policy. */
  public static Failure unknown(String domain) {
    return new Failure.Missing(
        ErrorReason.ERROR_REASON_POLICY_UNKNOWN, new Failure.Resource("policy", domain));
  }

  /** In the order of domains, from after one on. */
  public List<Policy> list(String after, int max) {
    return all.tailMap(after, false).values().stream()
        .flatMap(entry -> entry.policy.stream())
        .limit(max)
        .toList();
  }
}
