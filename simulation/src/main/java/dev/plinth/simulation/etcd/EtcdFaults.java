package dev.plinth.simulation.etcd;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long requests and answers travel, and which share of requests has each fate other than being
 * answered.
 *
 * @param maxLate by how much a request that is applied late is late at most
 */
public record EtcdFaults(
    Duration minDelay,
    Duration maxDelay,
    Duration maxLate,
    double answerLost,
    double appliedLate,
    double refused,
    double requestLost) {
  /** A network that loses and reorders nothing: half a millisecond to two each way. */
  public static final EtcdFaults NONE = rates(0, 0, 0, 0);

  /** As {@link #NONE}, with these shares. Late is up to five seconds. */
  public static EtcdFaults rates(
      double answerLost, double appliedLate, double refused, double requestLost) {
    return new EtcdFaults(
        Duration.ofNanos(500_000),
        Duration.ofMillis(2),
        Duration.ofSeconds(5),
        answerLost,
        appliedLate,
        refused,
        requestLost);
  }

  public EtcdFaults withDelay(Duration least, Duration most) {
    return new EtcdFaults(least, most, maxLate, answerLost, appliedLate, refused, requestLost);
  }

  RequestFate draw(RandomGenerator random) {
    double left = random.nextDouble();
    if ((left -= answerLost) < 0) {
      return RequestFate.ANSWER_LOST;
    } else if ((left -= appliedLate) < 0) {
      return RequestFate.APPLIED_LATE;
    } else if ((left -= refused) < 0) {
      return RequestFate.REFUSED;
    }
    return left - requestLost < 0 ? RequestFate.REQUEST_LOST : RequestFate.ANSWERED;
  }

  long delayNanos(RandomGenerator random) {
    return random.nextLong(minDelay.toNanos(), maxDelay.toNanos() + 1);
  }

  /** Half of the late ones are overtaken by a few others, half by everything for seconds. */
  long lateNanos(RandomGenerator random) {
    long most = random.nextBoolean() ? maxDelay.toNanos() * 4 : maxLate.toNanos();
    return maxDelay.toNanos() + random.nextLong(most + 1);
  }
}
