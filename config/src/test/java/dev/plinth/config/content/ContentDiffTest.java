package dev.plinth.config.content;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.config.content.ContentDifference.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ContentDiffTest {
  private static final String JSON = "application/json";

  private static ContentDiff of(String type, String before, String after) {
    return ContentDiff.of(
        type,
        before.getBytes(StandardCharsets.UTF_8),
        type,
        after.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void json_isComparedByPath() {
    ContentDiff diff =
        of(
            JSON,
            "{\"a\": 1, \"b/c\": [1, 2], \"d\": {}}",
            "{\"b/c\": [1, 3, 4], \"d\": {}, \"e\": true}");
    assertEquals(
        List.of(
            new ContentDifference(Type.REMOVED, "/a", "1", ""),
            new ContentDifference(Type.CHANGED, "/b~1c/1", "2", "3"),
            new ContentDifference(Type.ADDED, "/b~1c/2", "", "4"),
            new ContentDifference(Type.ADDED, "/e", "", "true")),
        diff.differences());
  }

  @Test
  void text_isComparedByLine() {
    ContentDiff diff = of("text/plain", "one\ntwo\nthree\nfour", "one\nthree\nnew\nfour");
    assertEquals(
        List.of(
            new ContentDifference(Type.REMOVED, "2", "two", ""),
            new ContentDifference(Type.ADDED, "3", "", "new")),
        diff.differences());
    assertEquals(List.of(), of("text/plain", "same", "same").differences());
  }

  @Test
  void differences_areBound_alsoOfTextsThatAreTooLongToMatch() {
    String before = lines("a");
    String after = lines("b");
    ContentDiff diff = of("text/plain", before, after);
    assertEquals(1000, diff.differences().size());
    assertTrue(diff.truncated());
    String large = "{\"a\": \"" + "x".repeat(5000) + "\"}";
    assertEquals(1024, of(JSON, "{\"a\": 1}", large).differences().get(0).after().length());
  }

  private static String lines(String of) {
    return IntStream.range(0, 5000).mapToObj(i -> of + i).collect(Collectors.joining("\n"));
  }
}
