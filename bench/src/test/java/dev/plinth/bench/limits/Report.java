package dev.plinth.bench.limits;

import dev.plinth.bench.Measured;
import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/**
 * What came of a job, in one process or in all.
 *
 * @param started before the first decision
 * @param ended after the last
 * @param admitted of each key, from start to end
 */
record Report(Measured measured, Instant started, Instant ended, long[] admitted)
    implements Serializable {
  static Report together(List<Report> processes) {
    long[] admitted = new long[processes.get(0).admitted.length];
    processes.forEach(one -> Arrays.setAll(admitted, key -> admitted[key] + one.admitted[key]));
    return new Report(
        Measured.together(processes.stream().map(Report::measured).toList()),
        processes.stream().map(Report::started).min(Instant::compareTo).orElseThrow(),
        processes.stream().map(Report::ended).max(Instant::compareTo).orElseThrow(),
        admitted);
  }

  long denied() {
    return measured.inAll() - Arrays.stream(admitted).sum();
  }

  /** Of the key that got the most; above 1 it got more than the limit allows. */
  double ofBound(Limit limit) {
    double seconds = Duration.between(started, ended).toNanos() / 1e9;
    return Arrays.stream(admitted).max().orElseThrow() / limit.bound(seconds);
  }
}
