package dev.plinth.testkit.engine;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/**
 * The engines a test can ask for. Each is a JUnit extension over one real server (or cluster) that
 * all test classes of the JVM share:
 *
 * <pre>{@code
 * @RegisterExtension static final SharedEngine REDIS = Engines.redis();
 * }</pre>
 *
 * <p>An engine comes from an address in the environment ({@code TESTKIT_ETCD}, {@code
 * TESTKIT_REDIS}, {@code TESTKIT_CASSANDRA}: {@code host:port}, several joined by commas), else
 * from a program on the {@code PATH}, else from what the kit fetches into {@code TESTKIT_CACHE},
 * else from Docker (another image by {@code TESTKIT_REDIS_IMAGE} and so on). Where none is to be
 * had, a test class is skipped, or fails when {@code CI=true}.
 */
public final class Engines {
  private Engines() {}

  /** One etcd member. */
  public static SharedEngine etcd() {
    return shared("etcd", testEnvironment -> EtcdLauncher.sources(testEnvironment, 1));
  }

  /** An etcd cluster of three members. */
  public static SharedEngine etcdCluster() {
    return shared("etcd cluster", testEnvironment -> EtcdLauncher.sources(testEnvironment, 3));
  }

  /** A Redis that answers a write once it is on disk. */
  public static SharedEngine redis() {
    return shared("Redis", RedisLauncher::sources);
  }

  /** Three primaries of a Redis cluster, with the slots spread over them. */
  public static SharedEngine redisCluster() {
    return redis("Redis cluster", new RedisTopologies(RedisTransport.PLAIN)::cluster);
  }

  /** The same, over TLS alone. */
  public static SharedEngine redisClusterTls() {
    return redis("Redis cluster with TLS", new RedisTopologies(RedisTransport.TLS)::cluster);
  }

  /** A Redis cluster of one node, which answers CLUSTER SLOTS without a host. */
  public static SharedEngine redisClusterOfOne() {
    return redis("Redis cluster of one", new RedisTopologies(RedisTransport.PLAIN)::clusterOfOne);
  }

  /**
   * A primary, its replica, and a sentinel that knows the primary as {@code plinth-primary}, in
   * this order. A failover changes who is the primary: {@link SharedEngine#restartEmpty} begins
   * anew.
   */
  public static SharedEngine redisSentinel() {
    return redis("Redis with sentinel", new RedisTopologies(RedisTransport.PLAIN)::sentinel);
  }

  /** The same, over TLS alone. */
  public static SharedEngine redisSentinelTls() {
    return redis("Redis with sentinel and TLS", new RedisTopologies(RedisTransport.TLS)::sentinel);
  }

  /**
   * A Redis that speaks TLS alone; {@link #redisCertificate} is to be trusted, and is for 127.0.0.1
   * and no other name.
   */
  public static SharedEngine redisTls() {
    return redis("Redis with TLS", program -> RedisLauncher.process(program, RedisTransport.TLS));
  }

  private static SharedEngine redis(String name, RedisLauncher.Setup setup) {
    return shared(name, environment -> RedisLauncher.sources(environment, setup));
  }

  /** The file, PEM. */
  public static Path redisCertificate() {
    return RedisTls.certificate();
  }

  /**
   * One Cassandra node in data centre {@code datacenter1} that answers a write once it is on disk.
   */
  public static SharedEngine cassandra() {
    return shared("Cassandra", CassandraLauncher::sources);
  }

  private static SharedEngine shared(
      String name, Function<TestEnvironment, List<EngineSource>> sources) {
    TestEnvironment testEnvironment = TestEnvironment.current();
    return new SharedEngine(name, testEnvironment.ci(), () -> sources.apply(testEnvironment));
  }
}
