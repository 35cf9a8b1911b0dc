package dev.plinth.standalone.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every link between documents leads to a file that exists, and to a heading that it has. */
class DocumentLinksTest {
  private static final Path ROOT = Path.of(System.getProperty("plinth.root"));
  private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```$");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s#]*)(?:#([^)\\s]+))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.+)$");

  @Test
  void links_leadSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    List<Path> documents = documents();
    for (Path document : documents) {
      Matcher link = LINK.matcher(text(document));
      while (link.find()) {
        if (!link.group(1).contains(":") && !exists(document, link.group(1), link.group(2))) {
          broken.add(ROOT.relativize(document) + ": " + link.group());
        }
      }
    }
    assertEquals(List.of(), broken);
    assertTrue(documents.size() > 20, documents.toString());
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(top, docs).filter(file -> file.toString().endsWith(".md")).toList();
    }
  }

  private static boolean exists(Path document, String file, String anchor) throws IOException {
    Path target = file.isEmpty() ? document : document.resolveSibling(file).normalize();
    return Files.exists(target) && (anchor == null || anchors(target).contains(anchor));
  }

  /** As GitHub makes them of headings. */
  private static Set<String> anchors(Path document) throws IOException {
    return HEADING
        .matcher(text(document))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^a-z0-9 _-]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  private static String text(Path document) throws IOException {
    return CODE.matcher(Files.readString(document)).replaceAll("");
  }
}
