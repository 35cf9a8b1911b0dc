package dev.plinth.simulation.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the model does to a suite.
 *
 * @param settings what etcd is free to do
 * @param drawn how often there was each
 */
record ModelFaults(EtcdModelSettings settings, EtcdFaults rates, Map<RequestFate, Integer> drawn) {
  static ModelFaults none() {
    return of(0);
  }

  /** So many answers are lost, and as many requests applied late. */
  static ModelFaults of(double rate) {
    return new ModelFaults(
        EtcdModelSettings.DEFAULT, EtcdFaults.rates(rate, rate, 0, 0), new ConcurrentHashMap<>());
  }

  /**
   * For a suite that claims a shard once and at once after its owner is gone: a member that lags
   * may still show the owner.
   */
  ModelFaults onOneMember() {
    return new ModelFaults(settings.withoutStaleReads(), rates, drawn);
  }

  /** A suite that met none has shown nothing. */
  void assertAllDrawn() {
    assertEquals(Set.of(RequestFate.ANSWER_LOST, RequestFate.APPLIED_LATE), drawn.keySet());
  }
}
