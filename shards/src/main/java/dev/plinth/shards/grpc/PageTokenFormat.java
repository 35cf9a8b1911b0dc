package dev.plinth.shards.grpc;

import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the page tokens of one list are written: a number, a dot and something more. They are opaque
 * to callers, and refused where they are none of the list's.
 */
public final class PageTokenFormat {
  private final String mark;
  private final Pattern text;
  private final int maxLength;

  /**
   * @param mark begins each token of the list, such as {@code h1.}
   * @param number a regular expression
   * @param rest what follows the number, another one
   */
  public PageTokenFormat(String mark, String number, String rest, int maxLength) {
    this.mark = mark;
    this.text = Pattern.compile(Pattern.quote(mark) + "(" + number + ")\\.(" + rest + ")");
    this.maxLength = maxLength;
  }

  public String text(long number, Object rest) {
    return mark + number + "." + rest;
  }

  /**
   * @param start the position of a request without a token
   * @param position made from the two parts of a token
   */
  public <P> P parse(String token, P start, Position<P> position) {
    if (token.isEmpty()) {
      return start;
    }
    Matcher parts = text.matcher(FieldChecks.name("page_token", token, maxLength));
    try {
      if (parts.matches()) {
        return position.of(Long.parseLong(parts.group(1)), parts.group(2));
      }
    } catch (NumberFormatException e) {
      // Digits enough, but above every number.
    }
    throw refusal(token);
  }

  static Failure refusal(String token) {
    return Failure.Invalid.field(
        "page_token", '"' + token + '"', "one from a page before, or none");
  }

  /** Where a list goes on. */
  @FunctionalInterface
  public interface Position<P> {
    P of(long number, String rest);
  }
}
