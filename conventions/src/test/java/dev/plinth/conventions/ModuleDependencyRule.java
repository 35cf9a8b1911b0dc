package dev.plinth.conventions;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The main code of a module uses the modules that the map allows and no others. */
final class ModuleDependencyRule implements Rule {
  private static final Pattern DECLARED =
      Pattern.compile(
          "(?m)^ *(?:api|implementation|compileOnly|runtimeOnly) project\\(':(.+?)'\\)");

  /** As docs/architecture.md draws it. */
  static final Map<String, Set<String>> ALLOWED =
      Map.ofEntries(
          Map.entry("proto", Set.of()),
          Map.entry("client", Set.of("proto")),
          Map.entry("server-kit", Set.of("proto")),
          Map.entry("shards", Set.of("proto", "server-kit")),
          Map.entry("lease-service", Set.of("proto", "server-kit", "shards")),
          Map.entry("id-allocator", Set.of("proto", "server-kit", "shards")),
          Map.entry("rate-limiter", Set.of("proto", "server-kit", "shards")),
          Map.entry(
              "standalone",
              Set.of(
                  "proto",
                  "server-kit",
                  "shards",
                  "lease-service",
                  "id-allocator",
                  "rate-limiter")),
          Map.entry("junit", Set.of("proto", "client", "server-kit", "standalone")),
          Map.entry("test-kit", Set.of("proto", "server-kit")),
          Map.entry("bench", Set.of()),
          Map.entry("conventions", Set.of()),
          Map.entry("examples", Set.of()),
          Map.entry("bom", Set.of()));

  @Override
  public List<Violation> check(Repository repository) {
    List<Violation> violations = new ArrayList<>();
    for (SourceFile file : repository.files()) {
      if (file.path().equals(file.module() + "/build.gradle")) {
        Matcher declared = DECLARED.matcher(file.text());
        while (declared.find()) {
          check(file, declared.group(1), violations);
        }
      }
    }
    Map<String, String> moduleOfPackage = new HashMap<>();
    for (JavaFile file : repository.mainJava()) {
      moduleOfPackage.put(file.packageName(), file.source().module());
    }
    for (JavaFile file : repository.mainJava()) {
      Set<String> used = new TreeSet<>();
      for (String name : file.dottedNames()) {
        module(name, moduleOfPackage).ifPresent(used::add);
      }
      used.forEach(module -> check(file.source(), module, violations));
    }
    return violations;
  }

  private void check(SourceFile file, String used, List<Violation> violations) {
    String module = file.module();
    Set<String> allowed = ALLOWED.get(module);
    if (allowed == null) {
      violations.add(new Violation(this, file.path(), module + " is not in the map of modules"));
    } else if (!module.equals(used) && !allowed.contains(used)) {
      violations.add(new Violation(this, file.path(), module + " must not use " + used));
    }
  }

  private static Optional<String> module(String name, Map<String, String> moduleOfPackage) {
    if (!name.startsWith("dev.plinth.")) {
      return Optional.empty();
    }
    // A package goes on to a type: dev.plinth.lease.v1 is not within dev.plinth.lease.
    for (int end = name.length(); end > 0; end = name.lastIndexOf('.', end - 1)) {
      String module = moduleOfPackage.get(name.substring(0, end));
      if (module != null && name.substring(end).matches("(\\.[A-Z*].*)?")) {
        return Optional.of(module);
      }
    }
    return Optional.of("proto"); // what no file declares is generated
  }
}
