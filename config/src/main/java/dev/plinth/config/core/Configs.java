package dev.plinth.config.core;

import dev.plinth.shards.RowReader;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.util.List;

/** The configs of one shard: documents, rollouts and agents. */
public final class Configs {
  private final ConfigTable table;
  private final Rollouts rollouts;
  private final Agents agents;
  private final Documents documents;
  private final AgentQueries queries;

  Configs(ConfigTable table, AgentSessions sessions) {
    this.table = table;
    Distribution distribution = new Distribution(table);
    rollouts = new Rollouts(table, distribution);
    agents = new Agents(table, distribution, rollouts, sessions);
    documents = new Documents(table, agents);
    queries = new AgentQueries(table, distribution);
  }

  void load(List<Row> rows, Tx tx) {
    RowReader.each(
        rows,
        ConfigRows.CONFIGS,
        row -> {
          String[] path = row.key().split("/");
          ConfigDocument document = documents.add(table.namespace(path[0]), path[1], row.word());
          document.newest = row.number();
          document.schemaRevision = row.number();
        });
    RowReader.each(
        rows,
        ConfigRows.SCHEMAS,
        row -> {
          ConfigDocument document = document(row.key().split("/"));
          document.schema = row.text();
          documents.publish(document);
        });
    RowReader.each(
        rows,
        ConfigRows.REVISIONS,
        row -> {
          String[] path = row.key().split("/");
          document(path).add(ConfigRows.revision(row, Long.parseLong(path[2])));
        });
    RowReader.each(rows, ConfigRows.GROUPS, row -> ConfigRows.group(row, group(row)));
    RowReader.each(
        rows,
        ConfigRows.ROLLOUTS,
        row -> {
          long generation = Long.parseLong(row.key().split("/")[2]);
          rollouts.load(RolloutRows.rollout(row, group(row), generation), tx);
        });
  }

  private ConfigDocument document(String[] path) {
    return table.require(new ConfigName(path[0], path[1]));
  }

  private ConfigGroup group(RowReader row) {
    String[] path = row.key().split("/");
    return table.require(new GroupName(path[0], path[1]));
  }

  public Documents documents() {
    return documents;
  }

  public Rollouts rollouts() {
    return rollouts;
  }

  public Agents agents() {
    return agents;
  }

  public AgentQueries queries() {
    return queries;
  }

  /** Takes back what was counted of it elsewhere. */
  void close() {
    rollouts.close();
    agents.close();
    documents.close();
  }
}
