package dev.plinth.client.guard;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.regex.Pattern;

/**
 * Guards whatever a database transaction writes, by a row per resource in a fence table:
 *
 * <pre>{@code
 * create table plinth_fence (resource varchar(320) primary key, token bigint not null)
 * }</pre>
 *
 * <p>The row stays locked until the transaction ends, so between the check and the commit no other
 * token can pass. Where the resource is one row, a column does the same without a table: {@code
 * update account set ..., token = ? where id = ? and token <= ?}, and no row changed means stale.
 */
public final class SqlGuard {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.]*");

  private final String raise;
  private final String find;
  private final String add;
  private volatile Runnable onStale = () -> {};

  public SqlGuard() {
    this("plinth_fence");
  }

  public SqlGuard(String table) {
    if (!NAME.matcher(table).matches()) {
      throw new IllegalArgumentException("table: " + table + " (expected: a plain name)");
    }
    raise = "update " + table + " set token = ? where resource = ? and token <= ?";
    find = "select token from " + table + " where resource = ?";
    add = "insert into " + table + " (resource, token) values (?, ?)";
  }

  /**
   * Runs the task at each refusal, such as {@link dev.plinth.client.PlinthClient#fenceRejected}.
   */
  public SqlGuard onStale(Runnable task) {
    onStale = task;
    return this;
  }

  /**
   * Call before the writes, in their transaction; roll it back if this throws.
   *
   * @throws StaleTokenException if a higher token was here
   * @throws SQLException also if two are the first for a resource at the same time: the one that
   *     gets it may try again
   */
  public void admit(Connection transaction, String resource, long token) throws SQLException {
    if (transaction.getAutoCommit()) {
      throw new IllegalStateException("autocommit is on (expected: a transaction)");
    }
    if (raise(transaction, resource, token)) {
      return;
    }
    if (isKnown(transaction, resource)) {
      onStale.run();
      throw new StaleTokenException(resource, token);
    }
    try (PreparedStatement statement = transaction.prepareStatement(add)) {
      statement.setString(1, resource);
      statement.setLong(2, token);
      statement.executeUpdate();
    }
  }

  private boolean raise(Connection transaction, String resource, long token) throws SQLException {
    try (PreparedStatement statement = transaction.prepareStatement(raise)) {
      statement.setLong(1, token);
      statement.setString(2, resource);
      statement.setLong(3, token);
      return statement.executeUpdate() == 1;
    }
  }

  private boolean isKnown(Connection transaction, String resource) throws SQLException {
    try (PreparedStatement statement = transaction.prepareStatement(find)) {
      statement.setString(1, resource);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }
}
