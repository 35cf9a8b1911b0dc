package dev.plinth.testkit;

import dev.plinth.server.settings.Settings;
import dev.plinth.server.settings.SettingsRefusedException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Settings records as a process would read them, from flags alone. */
public final class TestSettings {
  private TestSettings() {}

  public static <S extends Record> S read(Class<S> type, String... flags) {
    try {
      return Settings.read(type, List.of(flags), Map.of()).value();
    } catch (SettingsRefusedException e) {
      throw new AssertionError(e.getMessage(), e);
    }
  }

  /** The first of two flags for one key wins, so a test's own flags go before the kit's. */
  static String[] join(String[] own, String... kit) {
    return Stream.concat(Arrays.stream(own), Arrays.stream(kit)).toArray(String[]::new);
  }
}
