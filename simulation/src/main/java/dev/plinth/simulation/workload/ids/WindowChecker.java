package dev.plinth.simulation.workload.ids;

import java.util.Map;
import java.util.TreeMap;

/** Judges windows of worker ids: those of two holders of one worker id never overlap. */
final class WindowChecker {
  /**
   * What one holder had.
   *
   * @param floor above which its times lie
   * @param last the latest time that it may have used
   */
  private record Window(long floor, long last) {}

  private final Map<Integer, TreeMap<Long, Window>> workers = new TreeMap<>();

  /** A grant or a renewal. */
  void granted(int worker, long epoch, long floor, long ceiling) {
    Window before = windows(worker).get(epoch);
    if (before != null && before.floor != floor) {
      throw new AssertionError(
          "worker %d of epoch %d has floors %d and %d"
              .formatted(worker, epoch, before.floor, floor));
    }
    long last = before == null ? ceiling : Math.max(before.last, ceiling);
    windows(worker).put(epoch, new Window(floor, last));
  }

  /** The holder says that it used none after this. */
  void released(int worker, long epoch, long lastUsed) {
    windows(worker).computeIfPresent(epoch, (e, window) -> new Window(window.floor, lastUsed));
  }

  private TreeMap<Long, Window> windows(int worker) {
    return workers.computeIfAbsent(worker, each -> new TreeMap<>());
  }

  void check() {
    workers.forEach(
        (worker, windows) -> {
          long end = Long.MIN_VALUE;
          for (Map.Entry<Long, Window> window : windows.entrySet()) {
            if (window.getValue().floor < end) {
              throw new AssertionError(
                  "worker %d of epoch %d may begin at %d, where others went up to %d: %s"
                      .formatted(worker, window.getKey(), window.getValue().floor, end, windows));
            }
            end = Math.max(end, window.getValue().last);
          }
        });
  }
}
