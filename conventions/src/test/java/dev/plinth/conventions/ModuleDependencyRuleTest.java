package dev.plinth.conventions;

import static dev.plinth.conventions.RuleChecks.java;
import static dev.plinth.conventions.RuleChecks.violations;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ModuleDependencyRuleTest {
  private static final SourceFile MAP =
      new SourceFile(
          "docs/architecture.md",
          """
          ```mermaid
          flowchart BT
            server-kit --> proto
            client --> proto
            shards --> server-kit
            standalone --> shards & client
          ```
          """);
  private static final SourceFile SHARDS =
      java("shards", "dev.plinth.shards", "Shard", "public class Shard {}");

  private final Rule rule = new ModuleDependencyRule();

  @Test
  void import_ofAModuleThatIsNotAllowed_isFound() {
    SourceFile host =
        java("server-kit", "dev.plinth.server", "Host", "import dev.plinth.shards.Shard;");
    assertEquals(
        List.of(host.path() + ": server-kit must not use shards"),
        violations(rule, MAP, SHARDS, host));
  }

  @Test
  void spelledOutName_andStarImport_areFound() {
    SourceFile host =
        java("server-kit", "dev.plinth.server", "H", "class H { dev.plinth.shards.Shard s; }");
    SourceFile client = java("client", "dev.plinth.client", "C", "import dev.plinth.shards.*;");
    assertEquals(2, violations(rule, MAP, SHARDS, host, client).size());
  }

  @Test
  void import_alongArrows_isAllowed() {
    SourceFile main =
        java(
            "standalone",
            "dev.plinth.standalone",
            "Main",
            "import dev.plinth.shards.Shard; import dev.plinth.admin.v1.AdminServiceGrpc;");
    assertEquals(List.of(), violations(rule, MAP, SHARDS, main));
  }

  @Test
  void generatedMessages_areOfProto_thoughTheyShareTheFirstWordsOfAService() {
    SourceFile lease = java("lease-service", "dev.plinth.lease", "L", "public class L {}");
    SourceFile client = java("client", "dev.plinth.client", "C", "import dev.plinth.lease.v1.L;");
    assertEquals(List.of(), violations(rule, MAP, lease, client));
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
        List.of("client/build.gradle: client must not use shards"), violations(rule, MAP, build));
  }

  @Test
  void moduleOutsideTheMap_usesNoOther() {
    SourceFile fresh = java("fresh", "dev.plinth.fresh", "F", "import dev.plinth.shards.Shard;");
    assertEquals(
        List.of(fresh.path() + ": fresh must not use shards"),
        violations(rule, MAP, SHARDS, fresh));
  }
}
