package dev.plinth.client.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Guards rows of a Cassandra table that has a {@code bigint} column for the token, by lightweight
 * transactions. All writes to such a row must go through them: a plain one is ordered by wall clock
 * and may win over any.
 *
 * <p>A write that timed out may have happened. Sent again with the same token it does no harm.
 */
public final class CassandraGuard {
  /** Runs a conditional statement in any driver and tells whether it was applied. */
  @FunctionalInterface
  public interface Statements {
    boolean apply(String cql, List<Object> values);
  }

  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_.]*");

  private final Statements statements;
  private final Columns columns;
  private volatile Runnable onStale = () -> {};

  public CassandraGuard(Statements statements, Columns columns) {
    this.statements = statements;
    this.columns = columns;
  }

  /** The table, the column that is its whole primary key, and the one for the token. */
  public record Columns(String table, String key, String token) {
    public Columns {
      checkNames(List.of(table, key, token));
    }
  }

  /**
   * Runs the task at each refusal, such as {@link dev.plinth.client.PlinthClient#fenceRejected}.
   */
  public CassandraGuard onStale(Runnable task) {
    onStale = task;
    return this;
  }

  /**
   * Sets the columns of a row, which need not be there yet.
   *
   * @throws StaleTokenException if a higher token was here; then nothing was written
   */
  public void write(Object key, long token, Map<String, Object> values) {
    checkNames(values.keySet());
    List<String> names = List.copyOf(values.keySet());
    List<Object> settings = new ArrayList<>(names.stream().map(values::get).toList());
    settings.add(token);
    settings.add(key);
    // No row compares with nothing, so the first write is an insert; then another may come first.
    if (!update(names, settings, token)
        && !statements.apply(insert(names), settings)
        && !update(names, settings, token)) {
      onStale.run();
      throw new StaleTokenException(columns.table + " " + key, token);
    }
  }

  private boolean update(List<String> names, List<Object> settings, long token) {
    String sets = names.stream().map(name -> name + " = ?, ").collect(Collectors.joining());
    List<Object> values = new ArrayList<>(settings);
    values.add(token);
    return statements.apply(
        "update %s set %s%s = ? where %s = ? if %s <= ?"
            .formatted(columns.table, sets, columns.token, columns.key, columns.token),
        values);
  }

  private String insert(List<String> names) {
    String list = names.stream().map(name -> name + ", ").collect(Collectors.joining());
    return "insert into %s (%s%s, %s) values (%s?, ?) if not exists"
        .formatted(columns.table, list, columns.token, columns.key, "?, ".repeat(names.size()));
  }

  private static void checkNames(Iterable<String> names) {
    for (String name : names) {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException("name: " + name + " (expected: a plain name)");
      }
    }
  }
}
