package dev.plinth.standalone.history;

import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * V1, V2, V5, V7 and V8 over what clients saw while servers, etcd and the network failed. The seeds
 * are fixed; {@code ./gradlew :standalone:histories} takes others, for as long as you like.
 */
class LeaseHistoryTest {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(longs = {1})
  void embeddedServer_isLinearizable(long seed) throws Exception {
    try (Cluster cluster = Cluster.embedded(directory, "node")) {
      new HistoryRun(seed, cluster).run();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 12})
  void twoNodesOnEtcd_areLinearizable(long seed) throws Exception {
    try (Cluster cluster = Cluster.onEtcd(directory, "history" + seed, ETCD)) {
      new HistoryRun(seed, cluster).run();
    }
  }
}
