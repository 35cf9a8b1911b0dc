package dev.plinth.id.grpc;

import dev.plinth.id.v1.TextForm;
import dev.plinth.server.failure.Failure;
import java.math.BigInteger;
import java.util.Locale;

/** Ids as they are written. */
final class IdTextParser {
  private static final String CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  private static final String BASE62 =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int MAX_CHARS = 20;

  private IdTextParser() {}

  static long parse(String text, TextForm form) {
    return switch (form) {
      case TEXT_FORM_UNSPECIFIED -> parse(text, text, "0123456789");
      case TEXT_FORM_CROCKFORD -> parse(text, text.toUpperCase(Locale.ROOT), CROCKFORD);
      case TEXT_FORM_BASE62 -> parse(text, text, BASE62);
      case TEXT_FORM_HEX ->
          parse(text, text.toUpperCase(Locale.ROOT).replaceFirst("^0X", ""), "0123456789ABCDEF");
      default -> throw Failure.Invalid.field("form", form, "one of the text forms");
    };
  }

  private static long parse(String text, String digits, String alphabet) {
    BigInteger value = BigInteger.ZERO;
    boolean fits = !digits.isEmpty() && digits.length() <= MAX_CHARS;
    for (int i = 0; fits && i < digits.length(); i++) {
      int digit = alphabet.indexOf(digits.charAt(i));
      fits = digit >= 0;
      value = value.multiply(BigInteger.valueOf(alphabet.length())).add(BigInteger.valueOf(digit));
    }
    if (!fits || value.bitLength() > 63) {
      String shown = text.length() > 80 ? text.substring(0, 80) + "..." : text;
      throw Failure.Invalid.field(
          "id", '"' + shown.replaceAll("\\p{Cntrl}", "?") + '"', "0..2^63 - 1 in " + alphabet);
    }
    return value.longValueExact();
  }
}
