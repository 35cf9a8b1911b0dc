package dev.plinth.bench.limits;

import dev.plinth.bench.Echo;
import java.util.function.BiFunction;

/** Who takes part. */
enum Entry {
  BUCKET4J("Bucket4j", Claim.STRICT, Bucket4jBuckets::plain),
  BATCHING("Bucket4j, batching", Claim.STRICT, Bucket4jBuckets::batching),
  DELAYING("Bucket4j, delaying", Claim.LOOSE, Bucket4jBuckets::delaying),
  PREDICTING("Bucket4j, predicting", Claim.LOOSE, Bucket4jBuckets::predicting),
  REDISSON("Redisson RRateLimiter", Claim.STRICT, RedissonLimiters::new),
  SCRIPT("raw GCRA script", Claim.STRICT, RawScript::new),
  ECHO(Echo.NAME, Claim.NONE, Entry::echo),
  GRPC("Plinth over gRPC", Claim.HELD, PlinthChecks::new),
  SERVER_LEASES("Plinth over gRPC, leases of the server", Claim.HELD, PlinthChecks::leasing),
  ENGINE("Plinth in process", Claim.HELD, PlinthEngine::new),
  LEASES("Plinth, leases of the client", Claim.HELD, PlinthLeases::new);

  /** What it says of the bound. */
  enum Claim {
    /** Never above the limit. */
    STRICT,
    /** Above it for a while. */
    LOOSE,
    /** Limits nothing. */
    NONE,
    /** Ours: strict, and the run fails if it is not. */
    HELD
  }

  private final String text;
  private final Claim claim;
  private final BiFunction<Clients, Case, Contestant> open;

  Entry(String text, Claim claim, BiFunction<Clients, Case, Contestant> open) {
    this.text = text;
    this.claim = claim;
    this.open = open;
  }

  private static Contestant echo(Clients clients, Case what) {
    return key -> {
      Echo.block(clients.channel());
      return false;
    };
  }

  Contestant open(Clients clients, Case what) {
    return open.apply(clients, what);
  }

  Claim claim() {
    return claim;
  }

  /** A way to do without us, with the same promise. */
  boolean isStrictPeer() {
    return claim == Claim.STRICT;
  }

  boolean isStrictBucket4j() {
    return this == BUCKET4J || this == BATCHING;
  }

  @Override
  public String toString() {
    return text;
  }
}
