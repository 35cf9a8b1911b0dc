package dev.plinth.conventions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All rules, applied to the repository as it is. */
class RepositoryTest {
  private static final Repository REPOSITORY =
      Repository.read(Path.of(System.getProperty("plinth.root")));

  static Stream<Rule> rules() {
    return Stream.of(
        new ModuleDependencyRule(),
        new PackageImportRule(),
        new UniqueTypeNameRule(),
        new NullReturnRule(),
        new MarkdownLineRule(),
        new FileLengthRule(),
        new RecordSizeRule(),
        new PackageInfoRule(),
        new RepeatedLinesRule(),
        new MachineRule());
  }

  @ParameterizedTest
  @MethodSource("rules")
  void rule_holds(Rule rule) {
    assertEquals(
        "",
        rule.check(REPOSITORY).stream().map(each -> each + "\n").collect(Collectors.joining()),
        rule.name());
  }

  /** A walk that finds nothing would let every rule hold. */
  @Test
  void repository_isReadAsAWhole() {
    Set<String> modules =
        REPOSITORY.mainJava().stream()
            .map(file -> file.source().module())
            .collect(Collectors.toSet());
    assertTrue(modules.containsAll(Set.of("server-kit", "shards", "client")), modules.toString());
    assertTrue(REPOSITORY.files().stream().anyMatch(file -> file.path().equals("README.md")));
    assertTrue(
        REPOSITORY.files().stream().anyMatch(file -> file.path().equals("shards/build.gradle")));
  }
}
