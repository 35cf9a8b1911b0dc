package dev.plinth.config.content;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContentSchemaTest {
  private static void check(String schema, String content) {
    ContentSchema.parse(schema).check(JsonText.parse(content.getBytes(StandardCharsets.UTF_8)));
  }

  private static String refusal(Runnable call) {
    return assertThrows(InvalidContentException.class, call::run).getMessage();
  }

  @Test
  void content_thatFits_isTaken_andOneThatDoesNotIsRefusedWithItsPlace() {
    String schema =
        """
        {"type": "object", "required": ["rate"],
         "properties": {"rate": {"type": "integer", "minimum": 1}}}
        """;
    check(schema, "{\"rate\": 7}");
    assertTrue(refusal(() -> check(schema, "{}")).contains("rate"));
    String wrong = refusal(() -> check(schema, "{\"rate\": 0}"));
    assertTrue(wrong.contains("/rate"), wrong);
  }

  @Test
  void references_withinTheSchema_areFollowed() {
    String schema =
        "{\"$defs\": {\"n\": {\"type\": \"integer\"}}, \"items\": {\"$ref\": \"#/$defs/n\"}}";
    check(schema, "[1, 2]");
    refusal(() -> check(schema, "[1, \"a\"]"));
  }

  @Test
  void references_toOtherPlaces_areRefused(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("s.json"), "{\"type\": \"integer\"}");
    for (String place :
        new String[] {
          file.toUri().toString(),
          "http://127.0.0.1:1/s.json",
          "classpath:draft/2020-12/schema.json"
        }) {
      refusal(() -> check("{\"$ref\": \"" + place + "\"}", "1"));
    }
  }

  @Test
  void whatIsNoSchema_isRefused() {
    refusal(() -> ContentSchema.parse("[]"));
    refusal(() -> ContentSchema.parse("{"));
    refusal(() -> ContentSchema.parse("{\"pattern\": \"(\"}"));
  }

  @Test
  void pattern_thatWouldTakeForEver_isGivenUp() {
    String why =
        refusal(() -> check("{\"pattern\": \"^(.*a){12}$\"}", "\"" + "a".repeat(60) + "b\""));
    assertTrue(why.contains("steps"), why);
  }

  @Test
  void json_isReadStrictly() {
    assertEquals(1, JsonText.parse("1".getBytes(StandardCharsets.UTF_8)).asInt());
    for (String bad :
        new String[] {
          "", "{", "1 2", "{\"a\":1,\"a\":2}", "nul", "[".repeat(300) + "]".repeat(300)
        }) {
      refusal(() -> JsonText.parse(bad.getBytes(StandardCharsets.UTF_8)));
    }
    assertTrue(JsonText.isJson("application/json"));
    assertTrue(JsonText.isJson("application/json; charset=utf-8"));
    assertTrue(JsonText.isJson("application/problem+json"));
    assertFalse(JsonText.isJson("text/plain"));
  }
}
