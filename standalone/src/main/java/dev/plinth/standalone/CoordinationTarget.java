package dev.plinth.standalone;

import dev.plinth.server.settings.InvalidSettingException;
import java.util.List;
import java.util.regex.Pattern;

/** Where shards and their rows are kept: {@code embedded}, or {@code etcd://host:port,...}. */
record CoordinationTarget(List<String> etcd) {
  private static final Pattern ETCD =
      Pattern.compile("etcd://[A-Za-z0-9._-]+:\\d{1,5}(,[A-Za-z0-9._-]+:\\d{1,5})*");

  /** Refuses by the name of the setting. */
  static CoordinationTarget parse(String value) {
    if (value.equals("embedded")) {
      return new CoordinationTarget(List.of());
    }
    if (!ETCD.matcher(value).matches()) {
      throw new InvalidSettingException("coordination", value, "embedded or etcd://host:port,...");
    }
    return new CoordinationTarget(List.of(value.substring("etcd://".length()).split(",")));
  }

  boolean isEmbedded() {
    return etcd.isEmpty();
  }
}
