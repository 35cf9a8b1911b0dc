package dev.plinth.server.log;

import dev.plinth.server.settings.Setting;

/** What the log looks like. */
public record LogSettings(
    @Setting(meaning = "Log lines for a terminal or for a machine", byDefault = "text")
        Format format,
    @Setting(meaning = "Least severe lines shown", byDefault = "info") Level level) {

  public enum Format {
    TEXT,
    JSON
  }

  public enum Level {
    DEBUG,
    INFO,
    WARNING,
    ERROR
  }
}
