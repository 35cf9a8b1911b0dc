package dev.plinth.conventions;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Keeps names out of packages: gRPC, messages and engines out of the core of a service, and each
 * engine in its adapter.
 */
final class PackageImportRule implements Rule {
  private static final List<String> GRPC = List.of("io.grpc", "com.google.rpc");
  // Error reasons are the words in which a core refuses a call.
  private static final List<String> MESSAGES =
      List.of("com.google.protobuf", "dev.plinth.(?!error)\\w+.v1", "dev.plinth.envoy");
  private static final List<String> ENGINES =
      List.of("io.etcd", "io.lettuce", "com.datastax", "org.rocksdb");
  private static final List<String> ADAPTERS =
      List.of("dev.plinth.\\w+.grpc", "dev.plinth.\\w+.store.[a-z]+");

  private static final String CORE =
      "dev\\.plinth\\.(lease|id|ratelimit)\\.(core|policy|engine|pipeline)(\\..+)?";
  private static final String SHARDS_CORE = "dev\\.plinth\\.shards(\\.request)?";
  private static final List<Ban> BANS =
      List.of(
          new Ban(CORE, "the core of a service", GRPC),
          new Ban(CORE, "the core of a service", MESSAGES),
          new Ban(CORE, "the core of a service", ENGINES),
          new Ban(CORE, "the core of a service", ADAPTERS),
          new Ban(SHARDS_CORE, "the core of shards", GRPC),
          new Ban(SHARDS_CORE, "the core of shards", MESSAGES),
          new Ban(SHARDS_CORE, "the core of shards", ENGINES),
          new Ban(
              "(?!.*\\.store\\.etcd$|dev\\.plinth\\.simulation\\.etcd$).*",
              "all but adapters and the model of etcd",
              List.of("io.etcd")),
          new Ban(
              "(?!.*\\.store\\.embedded$).*",
              "all but adapters of the embedded store",
              List.of("org.rocksdb")),
          new Ban("(?!.*\\.store\\.redis$).*", "all but adapters of Redis", List.of("io.lettuce")),
          new Ban(
              "(?!.*\\.store\\.cassandra$).*",
              "all but adapters of Cassandra",
              List.of("com.datastax")));

  @Override
  public List<Violation> check(Repository repository) {
    List<Violation> violations = new ArrayList<>();
    for (JavaFile file : repository.mainJava()) {
      Set<String> names = file.dottedNames();
      for (Ban ban : BANS) {
        if (ban.concerns(file)) {
          names.stream()
              .filter(ban::forbids)
              .map(name -> new Violation(file.path(), ban.message(name)))
              .forEach(violations::add);
        }
      }
    }
    return violations;
  }

  /** Names that begin with one of the prefixes, kept out of the packages that match. */
  private record Ban(Pattern packages, String who, List<Pattern> prefixes) {
    Ban(String packages, String who, List<String> prefixes) {
      this(
          Pattern.compile(packages),
          who,
          prefixes.stream()
              .map(prefix -> Pattern.compile(prefix.replace(".", "\\.") + "(\\.|$)"))
              .toList());
    }

    boolean concerns(JavaFile file) {
      return packages.matcher(file.packageName()).matches();
    }

    boolean forbids(String name) {
      return prefixes.stream().anyMatch(prefix -> prefix.matcher(name).lookingAt());
    }

    String message(String name) {
      return who + " must not know " + name;
    }
  }
}
