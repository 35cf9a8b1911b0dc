package dev.plinth.simulation.workload;

import dev.plinth.simulation.kernel.RunParts;
import dev.plinth.simulation.workload.client.ClientWorkload;
import dev.plinth.simulation.workload.ids.IdWorkload;
import dev.plinth.simulation.workload.limits.LimitRun;
import dev.plinth.simulation.workload.registry.MemberWorkload;
import java.util.Arrays;
import java.util.Locale;

/** What the clients of a run use. */
public enum WorkloadKind {
  /** Leases over the API itself. */
  LEASES(6),
  /** Leases and elections by real clients. */
  CLIENTS(2),
  /** Identifiers, over the API and by real clients. */
  IDS(1),
  /** Members of groups. */
  MEMBERS(2),
  /** Limits, over a model of Redis. */
  LIMITS(1);

  private static final int SHARES = Arrays.stream(values()).mapToInt(kind -> kind.share).sum();

  private final int share;

  WorkloadKind(int share) {
    this.share = share;
  }

  /** Runs a seed to its end; what it did and what was wrong is in the report. */
  public RunReport run(long seed) {
    return switch (this) {
      case LEASES -> LeaseRun.of(seed);
      case CLIENTS -> WorkloadRun.of(this, seed, ClientWorkload::new);
      case IDS -> WorkloadRun.of(this, seed, IdWorkload::new);
      case LIMITS -> LimitRun.of(seed);
      case MEMBERS -> WorkloadRun.of(this, seed, MemberWorkload::new);
    };
  }

  /** Whether a run can leave out parts of itself, and so be made small. */
  public boolean hasParts() {
    return this == LEASES;
  }

  /** Runs some parts of a seed. */
  public RunReport run(long seed, RunParts parts) {
    if (!hasParts()) {
      throw new IllegalArgumentException("runs of " + this + " have no parts");
    }
    return LeaseRun.of(seed, parts);
  }

  /** Of so many runs in turn each has its share. */
  public static WorkloadKind ofTurn(int turn) {
    int left = Math.floorMod(turn, SHARES);
    for (WorkloadKind kind : values()) {
      left -= kind.share;
      if (left < 0) {
        return kind;
      }
    }
    throw new AssertionError(turn);
  }

  public static WorkloadKind named(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
