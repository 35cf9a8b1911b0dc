package dev.plinth.config.core;

import dev.plinth.registry.core.LabelFilter;
import dev.plinth.shards.RowReader;
import dev.plinth.shards.RowWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rows of rollouts: phase, stage and version, since when, what was counted, the reason, and how
 * many lines follow of each kind: gates, revisions of target and base, stages, agents that were
 * chosen, steps, rejections.
 *
 * <pre>
 * config/o/default/limits/3:  v1 PAUSED 0 2 1767225600000 1767225601000 0 1 0 0 0 rejected 2 1 1 2 0 1 1
 *                             gates 0 30000 0.0 0.05 -
 *                             revision limits 2
 *                             revision limits 1
 *                             stage PERCENT 100 60000 -
 *                             stage PERCENT 10000 60000 -
 *                             step 1767225600000 RUNNING 0 started olga
 *                             rejection web-7 limits no+such+key
 * </pre>
 */
final class RolloutRows {
  private static final String PERCENT = "PERCENT";
  private static final String LABELS = "LABELS";
  private static final String COUNT = "COUNT";
  private static final String MANUAL = "MANUAL";
  private static final String ABORT = "ABORT";
  private static final String ABSENT = "ABSENT";

  private RolloutRows() {}

  static String keyOf(Rollout rollout) {
    return ConfigRows.ROLLOUTS + rollout.group.path() + "/" + rollout.target.generation();
  }

  static byte[] encode(Rollout rollout) {
    RowWriter row =
        RowWriter.row()
            .word(rollout.phase)
            .number(rollout.stage)
            .number(rollout.version)
            .number(rollout.started.toEpochMilli())
            .number(rollout.since.toEpochMilli())
            .number(rollout.abortGeneration)
            .number(rollout.rejected)
            .number(rollout.forgiven)
            .number(rollout.deaths)
            .number(rollout.otherDeaths)
            .text(rollout.reason)
            .number(rollout.base.generation())
            .number(rollout.target.revisions().size())
            .number(rollout.base.revisions().size())
            .number(rollout.stages.size())
            .number(rollout.pinned.size())
            .number(rollout.log.size())
            .number(rollout.rejections.size());
    RolloutGates gates = rollout.gates;
    row.nextLine("gates")
        .number(gates.maxRejections())
        .millis(gates.ackTimeout())
        .word(gates.maxUnackedRatio())
        .word(gates.maxDeathRatio())
        .flag(gates.abort(), ABORT);
    ConfigRows.write(rollout.target, row);
    ConfigRows.write(rollout.base, row);
    rollout.stages.forEach(stage -> write(stage, row));
    rollout.pinned.forEach((agent, stage) -> row.nextLine("pin").text(agent).number(stage));
    for (RolloutStep step : rollout.log) {
      row.nextLine("step")
          .number(step.time().toEpochMilli())
          .word(step.phase())
          .number(step.stage())
          .text(step.text())
          .text(step.actor());
    }
    for (AgentRejection each : rollout.rejections.values()) {
      row.nextLine("rejection").text(each.agent()).text(each.config()).text(each.error());
    }
    return row.bytes();
  }

  private static void write(RolloutStage stage, RowWriter row) {
    row.nextLine("stage");
    StageTarget target = stage.target();
    if (target instanceof StageTarget.Percent percent) {
      row.word(PERCENT).number(percent.buckets());
    } else if (target instanceof StageTarget.Count count) {
      row.word(COUNT).number(count.agents());
    } else if (target instanceof StageTarget.Labels labels) {
      row.word(LABELS).number(labels.filters().size());
      for (LabelFilter filter : labels.filters()) {
        row.text(filter.key()).flag(filter.absent(), ABSENT).number(filter.values().size());
        filter.values().stream().sorted().forEach(row::text);
      }
    }
    row.millis(stage.bake()).flag(stage.manual(), MANUAL);
  }

  static Rollout rollout(RowReader row, ConfigGroup group, long generation) {
    RolloutPhase phase = RolloutPhase.valueOf(row.word());
    int stage = row.integer();
    long version = row.number();
    Instant started = row.instant();
    Instant since = row.instant();
    long abortGeneration = row.number();
    int[] counted = {row.integer(), row.integer(), row.integer(), row.integer()};
    String reason = row.text();
    long base = row.number();
    int[] lines = new int[6];
    for (int i = 0; i < lines.length; i++) {
      lines[i] = row.integer();
    }
    row.nextLine();
    RolloutGates gates =
        new RolloutGates(
            row.integer(),
            row.millis(),
            Double.parseDouble(row.word()),
            Double.parseDouble(row.word()),
            row.flag(ABORT));
    Release target = new Release(generation, ConfigRows.revisions(row, lines[0]));
    Release before = new Release(base, ConfigRows.revisions(row, lines[1]));
    Rollout rollout = new Rollout(group, target, before, stages(row, lines[2]), gates);
    rollout.phase = phase;
    rollout.stage = stage;
    rollout.version = version;
    rollout.started = started;
    rollout.since = since;
    rollout.abortGeneration = abortGeneration;
    rollout.rejected = counted[0];
    rollout.forgiven = counted[1];
    rollout.deaths = counted[2];
    rollout.otherDeaths = counted[3];
    rollout.reason = reason;
    for (int i = 0; i < lines[3]; i++) {
      row.nextLine();
      rollout.pinned.put(row.text(), row.integer());
    }
    for (int i = 0; i < lines[4]; i++) {
      row.nextLine();
      Instant time = row.instant();
      RolloutPhase then = RolloutPhase.valueOf(row.word());
      rollout.step(new RolloutStep(time, then, row.integer(), row.text(), row.text()));
    }
    for (int i = 0; i < lines[5]; i++) {
      row.nextLine();
      String agent = row.text();
      rollout.load(new AgentRejection(agent, row.text(), row.text()));
    }
    return rollout;
  }

  private static List<RolloutStage> stages(RowReader row, int count) {
    List<RolloutStage> stages = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      row.nextLine();
      StageTarget target = target(row.word(), row);
      Duration bake = row.millis();
      stages.add(new RolloutStage(target, bake, row.flag(MANUAL)));
    }
    return stages;
  }

  private static StageTarget target(String kind, RowReader row) {
    int number = row.integer();
    if (kind.equals(PERCENT)) {
      return new StageTarget.Percent(number);
    }
    if (kind.equals(COUNT)) {
      return new StageTarget.Count(number);
    }
    List<LabelFilter> filters = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      String key = row.text();
      boolean absent = row.flag(ABSENT);
      int values = row.integer();
      Set<String> each = new HashSet<>();
      for (int j = 0; j < values; j++) {
        each.add(row.text());
      }
      filters.add(new LabelFilter(key, each, absent));
    }
    return new StageTarget.Labels(filters);
  }
}
