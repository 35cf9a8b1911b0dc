package dev.plinth.conventions;

import static dev.plinth.conventions.RuleChecks.java;
import static dev.plinth.conventions.RuleChecks.violations;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ModuleDependencyRuleTest {
  private static final SourceFile SHARDS =
      java("shards", "dev.plinth.shards", "Shard", "public class Shard {}");

  private final Rule rule = new ModuleDependencyRule();

  @Test
  void import_ofAModuleThatIsNotAllowed_isFound() {
    SourceFile host =
        java("server-kit", "dev.plinth.server", "Host", "import dev.plinth.shards.Shard;");
    assertEquals(
        List.of(
            "server-kit/src/main/java/dev/plinth/server/Host.java:"
                + " server-kit must not use shards"),
        violations(rule, SHARDS, host));
  }

  @Test
  void spelledOutName_andStarImport_areFound() {
    SourceFile host =
        java(
            "server-kit", "dev.plinth.server", "Host", "class Host { dev.plinth.shards.Shard s; }");
    SourceFile client = java("client", "dev.plinth.client", "C", "import dev.plinth.shards.*;");
    assertEquals(2, violations(rule, SHARDS, host, client).size());
  }

  @Test
  void generatedMessages_areOfProto_thoughTheyShareTheFirstWordsOfAService() {
    SourceFile lease = java("lease-service", "dev.plinth.lease", "L", "public class L {}");
    SourceFile client = java("client", "dev.plinth.client", "C", "import dev.plinth.lease.v1.L;");
    assertEquals(List.of(), violations(rule, lease, client));
  }

  @Test
  void buildFile_thatDeclaresAModuleThatIsNotAllowed_isFound() {
    SourceFile build =
        new SourceFile(
            "client/build.gradle",
            """
            dependencies {
              api project(':proto')
              implementation project(':shards')
              testImplementation project(':lease-service')
            }
            """);
    assertEquals(
        List.of("client/build.gradle: client must not use shards"), violations(rule, build));
  }

  @Test
  void moduleOutsideTheMap_isFound() {
    SourceFile fresh = java("fresh", "dev.plinth.fresh", "F", "import dev.plinth.shards.Shard;");
    assertEquals(
        List.of("fresh/src/main/java/dev/plinth/fresh/F.java: fresh is not in the map of modules"),
        violations(rule, SHARDS, fresh));
  }
}
