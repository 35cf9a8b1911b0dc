package dev.plinth.testkit.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("engine")
class CassandraLauncherTest {
  @RegisterExtension static final SharedEngine CASSANDRA = Engines.cassandra();

  @Test
  void restart_afterKill_keepsAcknowledgedWrites() {
    try (CqlSession session = connect()) {
      session.execute(
          "create keyspace if not exists kit with replication ="
              + " {'class': 'SimpleStrategy', 'replication_factor': 1}");
      session.execute("create table kit.kept (id int primary key, word text)");
      for (int i = 0; i < 100; i++) {
        session.execute("insert into kit.kept (id, word) values (?, ?)", i, "word-" + i);
      }
      assertTrue(
          session
              .execute("insert into kit.kept (id, word) values (100, 'word-100') if not exists")
              .wasApplied());
      CASSANDRA.kill();
    }
    CASSANDRA.restart();
    try (CqlSession session = connect()) {
      for (int i = 0; i <= 100; i++) {
        String word =
            session.execute("select word from kit.kept where id = ?", i).one().getString(0);
        assertEquals("word-" + i, word);
      }
    }
  }

  @Test
  void pause_duringACall_holdsTheAnswerUntilResume() throws Exception {
    try (CqlSession session = connect()) {
      CASSANDRA.pause();
      CompletableFuture<AsyncResultSet> answer =
          session.executeAsync("select cluster_name from system.local").toCompletableFuture();
      assertThrows(TimeoutException.class, () -> answer.get(300, TimeUnit.MILLISECONDS));
      CASSANDRA.resume();
      assertTrue(answer.get(30, TimeUnit.SECONDS).one() != null);
    }
  }

  private static CqlSession connect() {
    return CqlSession.builder()
        .addContactPoint(CASSANDRA.address())
        .withLocalDatacenter("datacenter1")
        .withConfigLoader(
            DriverConfigLoader.programmaticBuilder()
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
                .build())
        .build();
  }
}
