package dev.plinth.shards.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import dev.plinth.server.failure.Failure;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageTokenFormatTest {
  private static final PageTokenFormat FORMAT = new PageTokenFormat("l1.", "\\d{1,19}", ".+", 40);

  private static String parse(String token) {
    return FORMAT.parse(token, "start", (number, rest) -> number + "|" + rest);
  }

  @Test
  void token_comesBackAsItWas() {
    assertEquals("start", parse(""));
    assertEquals("l1.7.a.b", FORMAT.text(7, "a.b"));
    assertEquals("7|a.b", parse("l1.7.a.b"));
    assertEquals(Long.MAX_VALUE + "|k", parse(FORMAT.text(Long.MAX_VALUE, "k")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"x", "l1.", "l1.7.", "l1.-7.a", "h1.7.a", "l1.9999999999999999999.a", "l1.7.a\n"})
  void tokenOfAnother_isRefusedByItsField(String token) {
    Failure.Invalid refused = assertThrows(Failure.Invalid.class, () -> parse(token));
    assertEquals("page_token", refused.violations().get(0).field());
  }

  @Test
  void shardOfAToken_isOneThatThereIs() {
    assertEquals(new PageToken(15, "a"), PageToken.parse("15.a", 16));
    assertThrows(Failure.Invalid.class, () -> PageToken.parse("16.a", 16));
    assertEquals("3.", new PageToken(3, "").text());
  }

  @Test
  void parts_areCutBySize_andTheLastSaysSo() {
    StringValue large = StringValue.of("x".repeat(WatchStream.MAX_BYTES / 2));
    List<String> parts =
        MessageParts.listOf(
            List.of(1, 2, 3, 4, 5), number -> large, (items, more) -> items.size() + " " + more);
    assertEquals(List.of("2 true", "2 true", "1 false"), parts);
    assertEquals(
        List.of(), MessageParts.listOf(List.<Integer>of(), n -> large, (items, more) -> "part"));
    var empty = new MessageParts<>(List.<Integer>of(), n -> large, (items, more) -> items.size());
    assertTrue(empty.hasNext(), "an empty snapshot is one message");
    assertEquals(0, empty.next());
  }
}
