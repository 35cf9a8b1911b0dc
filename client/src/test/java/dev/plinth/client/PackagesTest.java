package dev.plinth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What packages of the client may know of each other, and what applications see of it. */
class PackagesTest {
  private static final Path SOURCES = Path.of("src/main/java");
  private static final String ROOT = "dev.plinth.client";
  private static final String MEMBER = ".member";
  private static final Map<String, List<String>> FORBIDDEN =
      Map.of(
          ".internal",
          List.of(".internal.session", ".lease", ".election", ".id", ".limit", MEMBER),
          ".internal.session",
          List.of(".lease", ".election", ".id", ".limit", MEMBER),
          ".lease",
          List.of(".election", ".id", ".limit", MEMBER),
          ".election",
          List.of(".id", ".limit", MEMBER),
          ".id",
          List.of(".internal.session", ".lease", ".election", ".limit", MEMBER),
          ".limit",
          List.of(".internal.session", ".lease", ".election", ".id", MEMBER),
          MEMBER,
          List.of(".lease", ".election", ".id", ".limit", ".partition", ".config"),
          ".partition",
          List.of(".lease", ".election", ".id", ".limit", ".config"),
          ".config",
          List.of(".lease", ".election", ".id", ".limit", MEMBER, ".partition"));

  @Test
  void dependencies_runOneWay() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Path file : sources()) {
      String name = packageOf(file);
      for (String other : FORBIDDEN.getOrDefault(name.substring(ROOT.length()), List.of())) {
        Files.readAllLines(file).stream()
            .filter(
                line -> line.matches("import " + (ROOT + other).replace(".", "\\.") + "\\.[A-Z].*"))
            .forEach(line -> wrong.add(file.getFileName() + ": " + line));
      }
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  void publicMethods_ofPublicTypes_showNothingInternal() throws Exception {
    List<String> wrong = new ArrayList<>();
    for (Path file : sources()) {
      String name = packageOf(file);
      String simple = file.getFileName().toString().replace(".java", "");
      if (name.contains(".internal") || simple.equals("package-info")) {
        continue;
      }
      Class<?> type = Class.forName(name + "." + simple);
      if (Modifier.isPublic(type.getModifiers())) {
        Arrays.stream(type.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .filter(PackagesTest::showsInternals)
            .forEach(method -> wrong.add(method.toString()));
      }
    }
    assertEquals(List.of(), wrong);
  }

  private static boolean showsInternals(Method method) {
    return Stream.concat(
            Stream.of(method.getReturnType()), Arrays.stream(method.getParameterTypes()))
        .anyMatch(type -> type.getName().startsWith(ROOT + ".internal"));
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  private static String packageOf(Path file) {
    return SOURCES.relativize(file.getParent()).toString().replace('/', '.');
  }
}
