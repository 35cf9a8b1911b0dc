package dev.plinth.client.id;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.id.v1.ParseRequest;
import dev.plinth.id.v1.TextForm;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IdEncodingTest {
  private static final Map<IdEncoding, TextForm> SERVERS =
      Map.of(
          IdEncoding.DECIMAL, TextForm.TEXT_FORM_UNSPECIFIED,
          IdEncoding.CROCKFORD, TextForm.TEXT_FORM_CROCKFORD,
          IdEncoding.BASE62, TextForm.TEXT_FORM_BASE62,
          IdEncoding.HEX, TextForm.TEXT_FORM_HEX);

  @TempDir Path directory;

  @Test
  void forms_areFixed() {
    assertEquals("255", IdEncoding.DECIMAL.format(255));
    assertEquals("000000000007Z", IdEncoding.CROCKFORD.format(255));
    assertEquals("00000000047", IdEncoding.BASE62.format(255));
    assertEquals("00000000000000FF", IdEncoding.HEX.format(255));
    assertEquals("7ZZZZZZZZZZZZ", IdEncoding.CROCKFORD.format(Long.MAX_VALUE));
    assertEquals("AzL8n0Y58m7", IdEncoding.BASE62.format(Long.MAX_VALUE));
    assertEquals("0", IdEncoding.DECIMAL.format(0));
    assertEquals("7FFFFFFFFFFFFFFF", IdEncoding.HEX.format(Long.MAX_VALUE));
    assertEquals(255, IdEncoding.HEX.parse("0xff"));
  }

  @ParameterizedTest
  @EnumSource
  void texts_comeBack_andSortAsIdsDo(IdEncoding form) {
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      long one = random.nextLong() >>> 1 + random.nextInt(63);
      long other = random.nextLong() >>> 1;
      assertEquals(one, form.parse(form.format(one)));
      if (form != IdEncoding.DECIMAL) {
        assertEquals(
            Integer.signum(Long.compare(one, other)),
            Integer.signum(form.format(one).compareTo(form.format(other))));
      }
    }
    assertEquals(Long.MAX_VALUE, form.parse(form.format(Long.MAX_VALUE)));
    assertThrows(IllegalArgumentException.class, () -> form.format(-1));
  }

  @Test
  void theServer_readsTheSame_andRefusesTheSame() {
    try (IdServer server = new IdServer(directory, InstantSource.system())) {
      server.put("orders", IdServer.dense(1, 10));
      Random random = new Random(2);
      for (IdEncoding form : IdEncoding.values()) {
        for (int i = 0; i < 20; i++) {
          long id = random.nextLong() >>> 1 + random.nextInt(63);
          String text = form.format(id);
          assertEquals(id, atServer(server, form, text));
          String lower = text.toLowerCase(Locale.ROOT);
          assertEquals(
              outcome(() -> form.parse(lower)), outcome(() -> atServer(server, form, lower)));
        }
        for (String odd :
            List.of("0x1F", "ILOU", "-1", "+1", "zz", "9223372036854775808", "8000000000000")) {
          assertEquals(
              outcome(() -> form.parse(odd)), outcome(() -> atServer(server, form, odd)), odd);
        }
        assertThrows(IllegalArgumentException.class, () -> form.parse(""));
        assertThrows(IllegalArgumentException.class, () -> form.parse("0".repeat(21)));
        assertTrue(form.parse("0".repeat(20)) == 0);
      }
    }
  }

  private static String outcome(java.util.function.LongSupplier parse) {
    try {
      return Long.toString(parse.getAsLong());
    } catch (IllegalArgumentException | StatusRuntimeException refused) {
      return "refused";
    }
  }

  private static long atServer(IdServer server, IdEncoding form, String text) {
    return server
        .ids()
        .parse(
            ParseRequest.newBuilder()
                .setNamespace("orders")
                .setId(text)
                .setForm(SERVERS.get(form))
                .build())
        .getId();
  }
}
