package dev.plinth.server.settings;

import java.time.Duration;

/**
 * Thrown by a settings record's constructor; the reader adds the full key and where it came from.
 */
public final class InvalidSettingException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final String component;
  private final String expected;

  public InvalidSettingException(String component, Object value, String expected) {
    super(component + ": " + SettingCodec.print(value) + " (expected: " + expected + ")");
    this.component = component;
    this.expected = expected;
  }

  public static void unlessBetween(String component, long value, long least, long most) {
    if (value < least || value > most) {
      throw new InvalidSettingException(component, value, least + ".." + most);
    }
  }

  public static void unlessBetween(
      String component, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new InvalidSettingException(
          component, value, SettingCodec.print(least) + ".." + SettingCodec.print(most));
    }
  }

  public static void unlessBetween(
      String component, ByteSize value, ByteSize least, ByteSize most) {
    if (value.bytes() < least.bytes() || value.bytes() > most.bytes()) {
      throw new InvalidSettingException(component, value, least + ".." + most);
    }
  }

  String component() {
    return component;
  }

  String expected() {
    return expected;
  }
}
