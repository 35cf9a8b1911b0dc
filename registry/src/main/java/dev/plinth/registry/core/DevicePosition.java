package dev.plinth.registry.core;

import java.util.Comparator;

/** A device in the order of a room: that of keys, then sessions, then devices. */
public record DevicePosition(String key, String sessionId, String device)
    implements Comparable<DevicePosition> {
  /** Before every device. */
  public static final DevicePosition START = new DevicePosition("", "", "");

  private static final Comparator<DevicePosition> ORDER =
      Comparator.comparing(DevicePosition::key)
          .thenComparing(DevicePosition::sessionId)
          .thenComparing(DevicePosition::device);

  /** Before every device of a key. */
  static DevicePosition first(String key) {
    return new DevicePosition(key, "", "");
  }

  @Override
  public int compareTo(DevicePosition other) {
    return ORDER.compare(this, other);
  }
}
