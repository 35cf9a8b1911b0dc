package dev.plinth.server.settings;

import java.util.List;

/** Settings that cannot be used, with every problem found, each a line a person can act on. */
public final class SettingsRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  SettingsRefusedException(List<String> problems) {
    super(String.join("\n", problems));
  }
}
