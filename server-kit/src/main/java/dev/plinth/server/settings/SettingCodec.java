package dev.plinth.server.settings;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The text form of each type that a setting may have. A parse error's message says what was
 * expected.
 */
final class SettingCodec {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");
  private static final Map<String, Duration> UNITS =
      Map.of(
          "ms", Duration.ofMillis(1),
          "s", Duration.ofSeconds(1),
          "m", Duration.ofMinutes(1),
          "h", Duration.ofHours(1),
          "d", Duration.ofDays(1));

  private SettingCodec() {}

  static Object parse(Type type, String text) {
    if (type instanceof ParameterizedType generic) {
      return parseGeneric(generic, text);
    }
    if (type == String.class) {
      return text;
    }
    if (type == int.class) {
      return Math.toIntExact(wholeNumber(text, Integer.MIN_VALUE, Integer.MAX_VALUE));
    }
    if (type == long.class) {
      return wholeNumber(text, Long.MIN_VALUE, Long.MAX_VALUE);
    }
    if (type == boolean.class) {
      return truth(text);
    }
    if (type == Duration.class) {
      return duration(text);
    }
    if (type == ByteSize.class) {
      return ByteSize.parse(text);
    }
    if (type == Path.class) {
      return path(text);
    }
    if (type == Secret.class) {
      return secret(text);
    }
    if (type instanceof Class<?> choice && choice.isEnum()) {
      return choice(choice, text);
    }
    throw new AssertionError("no text form for settings of type " + type);
  }

  /** A type as help shows it. */
  static String form(Type type) {
    if (type instanceof ParameterizedType generic) {
      String inner = form(generic.getActualTypeArguments()[0]);
      return generic.getRawType() == List.class ? inner + ",..." : inner;
    }
    if (type instanceof Class<?> choice && choice.isEnum()) {
      return choices(choice);
    }
    if (type == int.class || type == long.class) {
      return "N";
    }
    if (type == boolean.class) {
      return "true|false";
    }
    if (type == Path.class || type == Secret.class) {
      return "PATH";
    }
    return type == Duration.class ? "DURATION" : type == ByteSize.class ? "SIZE" : "TEXT";
  }

  static String print(Object value) {
    if (value instanceof Optional<?> maybe) {
      return maybe.map(SettingCodec::print).orElse("");
    }
    if (value instanceof List<?> many) {
      return many.stream().map(SettingCodec::print).collect(Collectors.joining(","));
    }
    if (value instanceof Duration duration) {
      return printDuration(duration);
    }
    if (value instanceof Enum<?> choice) {
      return word(choice);
    }
    return value instanceof Secret secret ? secret.file().toString() : String.valueOf(value);
  }

  private static Object parseGeneric(ParameterizedType type, String text) {
    Type inner = type.getActualTypeArguments()[0];
    if (type.getRawType() == Optional.class) {
      return text.isEmpty() ? Optional.empty() : Optional.of(parse(inner, text));
    }
    if (type.getRawType() == List.class) {
      return text.isEmpty()
          ? List.of()
          : Arrays.stream(text.split(",", -1)).map(part -> parse(inner, part.strip())).toList();
    }
    throw new AssertionError("no text form for settings of type " + type);
  }

  private static long wholeNumber(String text, long least, long most) {
    try {
      long value = Long.parseLong(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // falls through to the one message
    }
    throw new IllegalArgumentException("a whole number");
  }

  private static boolean truth(String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException("true or false");
    }
    return text.equals("true");
  }

  private static Duration duration(String text) {
    Matcher parts = DURATION.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("a duration such as 200ms, 15s, 5m, 1h or 1d");
    }
    return UNITS.get(parts.group(2)).multipliedBy(Long.parseLong(parts.group(1)));
  }

  private static String printDuration(Duration duration) {
    for (String unit : new String[] {"d", "h", "m", "s"}) {
      long size = UNITS.get(unit).toMillis();
      if (duration.toMillis() >= size && duration.toMillis() % size == 0) {
        return duration.toMillis() / size + unit;
      }
    }
    return duration.isZero() ? "0s" : duration.toMillis() + "ms";
  }

  private static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("a path", e);
    }
  }

  private static Secret secret(String text) {
    Path file = path(text);
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException("a file that can be read");
    }
    return new Secret(file);
  }

  private static Object choice(Class<?> type, String text) {
    return Arrays.stream(type.getEnumConstants())
        .filter(constant -> word((Enum<?>) constant).equals(text))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(choices(type)));
  }

  private static String choices(Class<?> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(constant -> word((Enum<?>) constant))
        .collect(Collectors.joining("|"));
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
