package dev.plinth.client.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("engine")
class CassandraGuardTest {
  private static final long OLD = (1L << 62) + 1;
  private static final long NEW = OLD + 1;

  @RegisterExtension static final SharedEngine CASSANDRA = Engines.cassandra();

  private static CqlSession session;

  private final CassandraGuard guard =
      new CassandraGuard(
          (cql, values) -> session.execute(cql, values.toArray()).wasApplied(),
          new CassandraGuard.Columns("guards.account", "id", "fence"));

  @BeforeAll
  static void connect() {
    session =
        CqlSession.builder()
            .addContactPoint(CASSANDRA.address())
            .withLocalDatacenter("datacenter1")
            .withConfigLoader(
                DriverConfigLoader.programmaticBuilder()
                    .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
                    .build())
            .build();
    session.execute(
        "create keyspace if not exists guards with replication ="
            + " {'class': 'SimpleStrategy', 'replication_factor': 1}");
    session.execute(
        "create table if not exists guards.account"
            + " (id text primary key, owner text, note text, fence bigint)");
  }

  @AfterAll
  static void close() {
    session.close();
  }

  @BeforeEach
  void empty() {
    session.execute("truncate guards.account");
  }

  @Test
  void V4_staleHolder_isRefused_afterANewerOneWrote() {
    guard.write("a", OLD, Map.of("owner", "old", "note", "1"));
    guard.write("a", NEW, Map.of("owner", "new", "note", "2"));
    assertThrows(
        StaleTokenException.class,
        () -> guard.write("a", OLD, Map.of("owner", "late", "note", "3")));
    assertEquals("new 2", account());
    guard.write("a", NEW, Map.of("owner", "new again"));
    assertEquals("new again 2", account());
  }

  @Test
  void V4_withoutTheGuard_theSameWritesCorrupt() {
    for (String owner : new String[] {"old", "new", "late"}) {
      session.execute("update guards.account set owner = ?, note = '-' where id = 'a'", owner);
    }
    assertEquals("late -", account());
  }

  @Test
  void rowThatAppearsBetweenUpdateAndInsert_isComparedToo() {
    boolean[] met = new boolean[1];
    CassandraGuard late =
        new CassandraGuard(
            (cql, values) -> {
              if (cql.startsWith("insert") && !met[0]) {
                met[0] = true;
                guard.write("a", NEW, Map.of("owner", "new", "note", "2"));
              }
              return session.execute(cql, values.toArray()).wasApplied();
            },
            new CassandraGuard.Columns("guards.account", "id", "fence"));
    assertThrows(StaleTokenException.class, () -> late.write("a", OLD, Map.of("owner", "late")));
    assertEquals("new 2", account());
  }

  @Test
  void nameThatIsNone_isRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> guard.write("a", 1, Map.of("owner = 'x',", "y")));
  }

  private static String account() {
    Row row = session.execute("select owner, note from guards.account where id = 'a'").one();
    return row.getString(0) + " " + row.getString(1);
  }
}
