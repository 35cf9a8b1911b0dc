package dev.plinth.bench.registry;

import java.util.Arrays;

/** What processes have used of the processors so far. */
final class CpuTime {
  private CpuTime() {}

  static double seconds(long... pids) {
    return Arrays.stream(pids)
        .mapToObj(pid -> ProcessHandle.of(pid).orElseThrow().info())
        .mapToDouble(info -> info.totalCpuDuration().orElseThrow().toNanos() / 1e9)
        .sum();
  }
}
