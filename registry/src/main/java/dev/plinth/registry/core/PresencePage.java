package dev.plinth.registry.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Some devices of a room, in its order.
 *
 * @param next the last of them, if more follow
 * @param incompleteFor for so long some may be missing
 */
public record PresencePage(
    List<PresenceView> devices, Optional<DevicePosition> next, Optional<Duration> incompleteFor) {
  static final int MAX_BYTES = 1 << 20;

  /**
   * What is asked for.
   *
   * @param key all if empty
   * @param after goes on after this one
   */
  public record Request(String namespace, String room, String key, DevicePosition after, int size) {
    DevicePosition from() {
      DevicePosition first = DevicePosition.first(key);
      return after.compareTo(first) > 0 ? after : first;
    }
  }

  static PresencePage of(
      Map<DevicePosition, PresenceView> ahead, Request request, Optional<Duration> incompleteFor) {
    List<PresenceView> devices = new ArrayList<>();
    Optional<DevicePosition> last = Optional.empty();
    long bytes = 0;
    for (PresenceView view : ahead.values()) {
      if (!request.key().isEmpty() && !request.key().equals(view.at().key())) {
        break;
      }
      if (devices.size() == request.size() || bytes >= MAX_BYTES) {
        return new PresencePage(devices, last, incompleteFor);
      }
      devices.add(view);
      bytes += view.bytes();
      last = Optional.of(view.at());
    }
    return new PresencePage(devices, Optional.empty(), incompleteFor);
  }
}
