package dev.plinth.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What this build would publish, as a user's build reads it. */
class PublishedFilesTest {
  private static final Path PLINTH =
      Path.of(System.getProperty("plinth.published"), "dev", "plinth");
  private static final Set<String> MODULES =
      Set.of(
          "plinth-client",
          "plinth-config",
          "plinth-id-allocator",
          "plinth-junit",
          "plinth-lease-service",
          "plinth-machine",
          "plinth-proto",
          "plinth-rate-limiter",
          "plinth-registry",
          "plinth-server-kit",
          "plinth-shards",
          "plinth-standalone");

  static Set<String> modules() {
    return MODULES;
  }

  @Test
  void modulesAndTheBom_arePublished() throws IOException {
    Set<String> expected = new TreeSet<>(MODULES);
    expected.add("plinth-bom");
    assertEquals(expected, names(PLINTH));
  }

  @ParameterizedTest
  @MethodSource("modules")
  void module_hasSourcesAndJavadoc(String module) throws IOException {
    String name = module + "-" + version(module);
    assertEquals(
        Stream.of(".jar", ".module", ".pom", "-sources.jar", "-javadoc.jar")
            .map(name::concat)
            .collect(Collectors.toCollection(TreeSet::new)),
        names(PLINTH.resolve(module).resolve(version(module))));
  }

  @ParameterizedTest
  @MethodSource("modules")
  void pom_namesLicence_andAVersionForEachDependency(String module) throws Exception {
    Element pom = pom(module);
    assertEquals(List.of("Apache-2.0"), texts(pom, "licenses", "license", "name"));
    assertFalse(texts(pom, "description").get(0).isBlank());
    List<String> dependencies = texts(pom, "dependencies", "dependency", "artifactId");
    assertFalse(dependencies.isEmpty());
    assertEquals(dependencies.size(), texts(pom, "dependencies", "dependency", "version").size());
  }

  @Test
  void bom_namesEachModule_andTheBomsThatTheyAreBuiltWith() throws Exception {
    List<String> managed =
        texts(
            pom("plinth-bom"), "dependencyManagement", "dependencies", "dependency", "artifactId");
    assertTrue(managed.containsAll(MODULES), managed.toString());
    assertTrue(
        managed.containsAll(List.of("grpc-bom", "protobuf-bom", "netty-bom", "micrometer-bom")),
        managed.toString());
  }

  private static String version(String module) throws IOException {
    return names(PLINTH.resolve(module)).iterator().next();
  }

  private static Set<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static Element pom(String module) throws Exception {
    String version = version(module);
    Path file = PLINTH.resolve(module).resolve(version).resolve(module + "-" + version + ".pom");
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(file.toFile())
        .getDocumentElement();
  }

  /** The texts of all elements at the path below this one. */
  private static List<String> texts(Element element, String... path) {
    List<Element> found = List.of(element);
    for (String name : path) {
      found = found.stream().flatMap(parent -> children(parent, name).stream()).toList();
    }
    return found.stream().map(Element::getTextContent).toList();
  }

  private static List<Element> children(Element parent, String name) {
    List<Element> children = new ArrayList<>();
    NodeList nodes = parent.getChildNodes();
    for (int i = 0; i < nodes.getLength(); i++) {
      if (nodes.item(i) instanceof Element child && child.getTagName().equals(name)) {
        children.add(child);
      }
    }
    return children;
  }
}
