package dev.plinth.simulation.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The faults of a suite on the model.
 *
 * @param drawn how often there was each
 */
record ModelFaults(EtcdFaults rates, Map<RequestFate, Integer> drawn) {
  static ModelFaults none() {
    return new ModelFaults(EtcdFaults.NONE, new ConcurrentHashMap<>());
  }

  /** So many answers are lost, and as many requests applied late. */
  static ModelFaults of(double rate) {
    return new ModelFaults(EtcdFaults.rates(rate, rate, 0, 0), new ConcurrentHashMap<>());
  }

  /** A suite that met none has shown nothing. */
  void assertAllDrawn() {
    assertEquals(Set.of(RequestFate.ANSWER_LOST, RequestFate.APPLIED_LATE), drawn.keySet());
  }
}
