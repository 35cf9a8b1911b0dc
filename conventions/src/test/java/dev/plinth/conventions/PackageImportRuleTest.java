package dev.plinth.conventions;

import static dev.plinth.conventions.RuleChecks.java;
import static dev.plinth.conventions.RuleChecks.violations;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackageImportRuleTest {
  private final Rule rule = new PackageImportRule();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.grpc.Status",
        "com.google.protobuf.Duration",
        "dev.plinth.lease.v1.AcquireRequest",
        "io.etcd.jetcd.Client",
        "io.lettuce.core.RedisClient",
        "com.datastax.oss.driver.api.core.CqlSession",
        "org.rocksdb.RocksDB",
        "dev.plinth.lease.grpc.LeaseWire",
        "dev.plinth.ratelimit.store.redis.RedisBudgetStore"
      })
  void core_mustNotKnow(String name) {
    SourceFile core = java("x", "dev.plinth.lease.core", "Leases", "import " + name + ";");
    String found = violations(rule, core).get(0);
    assertEquals(core.path() + ": the core of a service must not know " + name, found);
  }

  @Test
  void spelledOutName_isFound() {
    SourceFile core =
        java("x", "dev.plinth.id.core", "Ids", "class Ids { io.grpc.Status status; }");
    assertEquals(1, violations(rule, core).size());
  }

  @Test
  void core_mayKnow_errorReasonsAndPorts() {
    SourceFile core =
        java(
            "x",
            "dev.plinth.ratelimit.pipeline",
            "Checks",
            "import dev.plinth.error.v1.Reason; import dev.plinth.ratelimit.store.BudgetStore;");
    assertEquals(List.of(), violations(rule, core));
  }

  @Test
  void shards_withoutItsSubpackages_mustNotKnowGrpc() {
    SourceFile core = java("x", "dev.plinth.shards", "Shard", "import io.grpc.Status;");
    SourceFile grpc = java("x", "dev.plinth.shards.grpc", "Calls", "import io.grpc.Status;");
    assertEquals(
        List.of(core.path() + ": the core of shards must not know io.grpc.Status"),
        violations(rule, core, grpc));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "etcd io.etcd.jetcd.Client",
        "redis io.lettuce.core.RedisClient",
        "cassandra com.datastax.oss.driver.api.core.CqlSession",
        "embedded org.rocksdb.RocksDB"
      })
  void engine_isKnownInItsAdapterOnly(String adapterAndName) {
    String[] both = adapterAndName.split(" ");
    String body = "import " + both[1] + ";";
    SourceFile adapter = java("x", "dev.plinth.shards.store." + both[0], "A", body);
    SourceFile other = java("x", "dev.plinth.shards.store", "Other", body);
    List<String> found = violations(rule, adapter, other);
    assertEquals(1, found.size());
    assertEquals(other.path(), found.get(0).substring(0, other.path().length()));
  }

  @Test
  void modelOfEtcd_mayKnowEtcd_theRestOfTheSimulationNot() {
    String body = "import io.etcd.jetcd.Client;";
    SourceFile model = java("x", "dev.plinth.simulation.etcd", "Model", body);
    SourceFile inside = java("x", "dev.plinth.simulation.etcd.more", "More", body);
    SourceFile beside = java("x", "dev.plinth.simulation", "Beside", body);
    String must = ": all but adapters and the model of etcd must not know io.etcd.jetcd.Client";
    assertEquals(
        List.of(inside.path() + must, beside.path() + must),
        violations(rule, model, inside, beside));
  }
}
