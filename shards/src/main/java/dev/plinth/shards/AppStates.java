package dev.plinth.shards;

import dev.plinth.shards.store.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What each app keeps of one shard in memory. */
final class AppStates implements OpenedApps {
  private final Map<ShardApp<?>, Object> states = new LinkedHashMap<>();

  /** Has an app build its state from those of the rows that are its own. */
  void open(ShardApp<?> app, List<Row> rows, Tx tx) {
    List<Row> own = rows.stream().filter(row -> row.key().startsWith(app.prefix())).toList();
    states.put(app, app.open(own, tx, this));
  }

  @Override
  @SuppressWarnings("unchecked") // put there under the same app
  public <S> S of(ShardApp<S> app) {
    return (S) states.get(app);
  }

  void progress(long nanos) {
    states.keySet().forEach(app -> progress(app, nanos));
  }

  private <S> void progress(ShardApp<S> app, long nanos) {
    app.progress(of(app), nanos);
  }

  void close() {
    states.keySet().forEach(this::close);
  }

  private <S> void close(ShardApp<S> app) {
    app.close(of(app));
  }
}
