package dev.plinth.client.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On H2. */
class SqlGuardTest {
  private final SqlGuard guard = new SqlGuard();
  private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";LOCK_TIMEOUT=20000";
  private Connection old;
  private Connection newer;

  @BeforeEach
  void open() throws SQLException {
    old = DriverManager.getConnection(url);
    newer = DriverManager.getConnection(url);
    try (Statement statement = old.createStatement()) {
      statement.execute(
          "create table plinth_fence (resource varchar(320) primary key, token bigint not null)");
      statement.execute("create table account (id int primary key, owner varchar(20))");
      statement.execute("insert into account values (1, 'nobody')");
    }
    old.setAutoCommit(false);
    newer.setAutoCommit(false);
  }

  @AfterEach
  void close() throws SQLException {
    old.close();
    newer.close();
  }

  @Test
  void V4_staleHolder_isRefused_afterANewerOneWrote() throws SQLException {
    guarded(old, 1, "old");
    guarded(newer, 2, "new");
    assertThrows(StaleTokenException.class, () -> guarded(old, 1, "late"));
    old.rollback();
    assertEquals("new", account());
    guarded(newer, 2, "new again");
    assertEquals("new again", account());
  }

  @Test
  void V4_withoutTheGuard_theSameWritesCorrupt() throws SQLException {
    write(old, "old");
    write(newer, "new");
    write(old, "late");
    assertEquals("late", account());
  }

  @Test
  void V4_holderAdmittedButNotCommitted_holdsTheNewerOneBack() throws Exception {
    guarded(old, 1, "old");
    guard.admit(old, "account/1", 1);
    CompletableFuture<Void> newerWrite =
        CompletableFuture.runAsync(
            () -> {
              try {
                guarded(newer, 2, "new");
              } catch (SQLException e) {
                throw new AssertionError(e);
              }
            });
    assertThrows(TimeoutException.class, () -> newerWrite.get(300, TimeUnit.MILLISECONDS));
    write(old, "still in time");
    newerWrite.get(20, TimeUnit.SECONDS);
    assertEquals("new", account());
  }

  @Test
  void rollback_takesTheTokenBackToo() throws SQLException {
    guard.admit(newer, "account/1", 5);
    newer.rollback();
    guarded(old, 4, "old");
    assertEquals("old", account());
  }

  @Test
  void resources_areApart() throws SQLException {
    guarded(newer, 2, "new");
    guard.admit(old, "account/2", 1);
    old.commit();
  }

  @Test
  void autocommit_isRefused_sinceNothingWouldHoldTheRow() throws SQLException {
    old.setAutoCommit(true);
    assertThrows(IllegalStateException.class, () -> guard.admit(old, "account/1", 1));
  }

  @Test
  void tableName_thatIsNone_isRefused() {
    assertThrows(IllegalArgumentException.class, () -> new SqlGuard("fence; drop table account"));
  }

  private void guarded(Connection connection, long token, String owner) throws SQLException {
    assertFalse(connection.getAutoCommit());
    guard.admit(connection, "account/1", token);
    write(connection, owner);
  }

  private static void write(Connection connection, String owner) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("update account set owner = '" + owner + "' where id = 1");
    }
    connection.commit();
  }

  private String account() throws SQLException {
    try (Statement statement = old.createStatement();
        ResultSet row = statement.executeQuery("select owner from account where id = 1")) {
      row.next();
      return row.getString(1);
    }
  }
}
