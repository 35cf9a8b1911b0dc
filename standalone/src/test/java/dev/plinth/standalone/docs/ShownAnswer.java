package dev.plinth.standalone.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares an answer that a document shows with the real one. Everything must be equal except what
 * differs from run to run: of a timestamp, a duration with a fraction, a number of six or more
 * digits and a generated id only the form is compared.
 */
final class ShownAnswer {
  private static final Map<String, String> VARYING =
      Map.of(
          "time", "\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z",
          "duration", "\\b\\d+\\.\\d+s\\b",
          "number", "\\b\\d{6,}\\b",
          "id", "\\bs-[0-9a-z]{4,8}\\b|\\b(?=[A-Za-z-]*\\d)[0-9A-Za-z-]{12,}\\b");
  private static final Map<String, String> FORMS =
      Map.of(
          "time", "\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z",
          "duration", "\\d+(\\.\\d+)?s",
          "number", "\\d+",
          "id", "[0-9A-Za-z-]{4,}");
  private static final List<String> KINDS = List.of("time", "duration", "number", "id");
  private static final Pattern ANY_VARYING =
      Pattern.compile(
          String.join(
              "|",
              KINDS.stream().map(kind -> "(?<" + kind + ">" + VARYING.get(kind) + ")").toList()));

  private ShownAnswer() {}

  static void assertJson(String shown, String actual, String where) throws Exception {
    assertValue(json(shown), json(actual), where);
  }

  static void assertText(String shown, String actual, String where) {
    List<String> shownLines = shown.strip().lines().toList();
    List<String> actualLines = actual.strip().lines().toList();
    boolean equal = shownLines.size() == actualLines.size();
    for (int i = 0; equal && i < shownLines.size(); i++) {
      equal = matches(shownLines.get(i), actualLines.get(i));
    }
    if (!equal) {
      assertEquals(shown.strip(), actual.strip(), where);
    }
  }

  static Value json(String text) throws Exception {
    Struct.Builder parsed = Struct.newBuilder();
    JsonFormat.parser().merge(text, parsed);
    return Value.newBuilder().setStructValue(parsed).build();
  }

  private static void assertValue(Value shown, Value actual, String where) {
    assertEquals(shown.getKindCase(), actual.getKindCase(), where);
    switch (shown.getKindCase()) {
      case STRUCT_VALUE -> {
        Map<String, Value> fields = actual.getStructValue().getFieldsMap();
        assertEquals(shown.getStructValue().getFieldsMap().keySet(), fields.keySet(), where);
        shown
            .getStructValue()
            .getFieldsMap()
            .forEach((name, value) -> assertValue(value, fields.get(name), where + "." + name));
      }
      case LIST_VALUE -> {
        List<Value> values = actual.getListValue().getValuesList();
        assertEquals(shown.getListValue().getValuesCount(), values.size(), where);
        for (int i = 0; i < values.size(); i++) {
          assertValue(shown.getListValue().getValues(i), values.get(i), where + "[" + i + "]");
        }
      }
      case STRING_VALUE -> {
        boolean equal = matches(shown.getStringValue(), actual.getStringValue());
        assertTrue(equal, where + ": " + actual.getStringValue() + ", shown: " + shown);
      }
      default -> assertEquals(shown, actual, where);
    }
  }

  private static boolean matches(String shown, String actual) {
    StringBuilder pattern = new StringBuilder();
    Matcher varying = ANY_VARYING.matcher(shown);
    int from = 0;
    while (varying.find()) {
      pattern.append(Pattern.quote(shown.substring(from, varying.start())));
      String kind = KINDS.stream().filter(k -> varying.group(k) != null).findFirst().orElseThrow();
      pattern.append(FORMS.get(kind));
      from = varying.end();
    }
    pattern.append(Pattern.quote(shown.substring(from)));
    return actual.matches(pattern.toString());
  }
}
