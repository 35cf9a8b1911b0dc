package dev.plinth.conventions;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The main code of a module uses the modules that the map in docs/architecture.md leads to, and no
 * others. A module that the map does not name uses none.
 */
final class ModuleDependencyRule implements Rule {
  private static final String MAP = "docs/architecture.md";
  private static final Pattern CHART = Pattern.compile("(?s)```mermaid\nflowchart (.*?)```");
  private static final Pattern ARROW = Pattern.compile("(?m)^ *(\\S+) --> (.+)$");
  private static final Pattern DECLARED =
      Pattern.compile(
          "(?m)^ *(?:api|implementation|compileOnly|runtimeOnly) project\\(':(.+?)'\\)");

  @Override
  public List<Violation> check(Repository repository) {
    Map<String, Set<String>> arrows = arrows(repository);
    List<Violation> violations = new ArrayList<>();
    uses(repository)
        .forEach(
            (file, modules) -> {
              Set<String> allowed = reachable(file.module(), arrows);
              modules.stream()
                  .filter(module -> !allowed.contains(module))
                  .map(module -> file.module() + " must not use " + module)
                  .forEach(what -> violations.add(new Violation(file.path(), what)));
            });
    return violations;
  }

  private static Map<String, Set<String>> arrows(Repository repository) {
    Map<String, Set<String>> arrows = new TreeMap<>();
    for (SourceFile file : repository.files()) {
      Matcher chart = CHART.matcher(file.text());
      if (file.path().equals(MAP) && chart.find()) {
        Matcher arrow = ARROW.matcher(chart.group(1));
        while (arrow.find()) {
          arrows
              .computeIfAbsent(arrow.group(1), from -> new TreeSet<>())
              .addAll(List.of(arrow.group(2).strip().split(" & ")));
        }
      }
    }
    return arrows;
  }

  /** With the module itself. */
  private static Set<String> reachable(String module, Map<String, Set<String>> arrows) {
    Set<String> found = new TreeSet<>();
    List<String> open = new ArrayList<>(List.of(module));
    while (!open.isEmpty()) {
      String next = open.remove(0);
      if (found.add(next)) {
        open.addAll(arrows.getOrDefault(next, Set.of()));
      }
    }
    return found;
  }

  /** The modules that each file names: a build file by its path, a Java file by a package. */
  private static Map<SourceFile, Set<String>> uses(Repository repository) {
    Map<SourceFile, Set<String>> uses = new HashMap<>();
    for (SourceFile file : repository.files()) {
      if (file.path().equals(file.module() + "/build.gradle")) {
        Set<String> modules = uses.computeIfAbsent(file, each -> new TreeSet<>());
        DECLARED.matcher(file.text()).results().forEach(each -> modules.add(each.group(1)));
      }
    }
    Map<String, String> moduleOfPackage = new HashMap<>();
    for (JavaFile file : repository.mainJava()) {
      moduleOfPackage.put(file.packageName(), file.source().module());
    }
    for (JavaFile file : repository.mainJava()) {
      Set<String> modules = uses.computeIfAbsent(file.source(), each -> new TreeSet<>());
      for (String name : file.dottedNames()) {
        module(name, moduleOfPackage).ifPresent(modules::add);
      }
    }
    return uses;
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
