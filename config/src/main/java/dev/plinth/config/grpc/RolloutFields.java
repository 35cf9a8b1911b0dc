package dev.plinth.config.grpc;

import dev.plinth.config.core.RolloutGates;
import dev.plinth.config.core.RolloutStage;
import dev.plinth.config.core.StageTarget;
import dev.plinth.config.v1.Gates;
import dev.plinth.config.v1.OnFailure;
import dev.plinth.config.v1.RevisionTarget;
import dev.plinth.config.v1.Stage;
import dev.plinth.registry.core.LabelFilter;
import dev.plinth.registry.grpc.RegistryWire;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.MessageFields;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The plan of a rollout as it is asked for, checked. */
final class RolloutFields {
  private static final int MAX_TARGETS = 64;
  private static final int MAX_STAGES = 16;
  private static final int MAX_COUNT = 1000;
  private static final int MAX_REJECTIONS = 100_000;
  private static final Duration MAX_BAKE = Duration.ofDays(7);
  private static final Duration MIN_ACK = Duration.ofSeconds(1);
  private static final Duration MAX_ACK = Duration.ofHours(1);

  private RolloutFields() {}

  static Map<String, Long> targets(List<RevisionTarget> targets) {
    FieldChecks.between("targets", targets.size(), 1, MAX_TARGETS);
    Map<String, Long> checked = new TreeMap<>();
    for (int i = 0; i < targets.size(); i++) {
      String path = "targets[" + i + "].";
      String config = ConfigWire.config(path + "config", targets.get(i).getConfig());
      long revision = ConfigWire.revision(path + "revision", targets.get(i).getRevision());
      if (checked.put(config, revision) != null) {
        throw Failure.Invalid.field(path + "config", FieldChecks.quoted(config), "each once");
      }
    }
    return checked;
  }

  static List<RolloutStage> stages(List<Stage> stages) {
    if (stages.isEmpty()) {
      return RolloutStage.byDefault();
    }
    FieldChecks.between("stages", stages.size(), 1, MAX_STAGES);
    List<RolloutStage> checked = new ArrayList<>();
    for (int i = 0; i < stages.size(); i++) {
      checked.add(stage("stages[" + i + "].", stages.get(i)));
    }
    StageTarget last = checked.get(checked.size() - 1).target();
    if (!last.equals(new StageTarget.Percent(StageTarget.BUCKETS))) {
      throw Failure.Invalid.field(
          "stages[" + (checked.size() - 1) + "].percent",
          stages.get(checked.size() - 1).getTargetCase(),
          "percent 100 in the last stage");
    }
    return checked;
  }

  private static RolloutStage stage(String path, Stage stage) {
    Duration bake =
        new MessageFields(stage, path)
            .duration("bake", RolloutStage.DEFAULT_BAKE, Duration.ZERO, MAX_BAKE);
    return new RolloutStage(target(path, stage), bake, stage.getManual());
  }

  private static StageTarget target(String path, Stage stage) {
    return switch (stage.getTargetCase()) {
      case PERCENT -> new StageTarget.Percent(buckets(path + "percent", stage.getPercent()));
      case COUNT ->
          new StageTarget.Count(
              FieldChecks.between(path + "count", stage.getCount(), 1, MAX_COUNT));
      case LABELS -> new StageTarget.Labels(filters(path + "labels.filters", stage));
      case TARGET_NOT_SET ->
          throw Failure.Invalid.field(path + "target", "none", "percent, labels or count");
    };
  }

  private static int buckets(String field, double percent) {
    if (!(percent > 0 && percent <= 100)) {
      throw Failure.Invalid.field(field, percent, "above 0, at most 100");
    }
    return Math.max(1, (int) Math.round(percent * StageTarget.BUCKETS / 100));
  }

  private static List<LabelFilter> filters(String field, Stage stage) {
    if (stage.getLabels().getFiltersCount() == 0) {
      throw Failure.Invalid.field(field, "none", "1..16 filters");
    }
    return RegistryWire.filters(field, stage.getLabels().getFiltersList());
  }

  static RolloutGates gates(Gates gates, OnFailure onFailure) {
    boolean abort =
        switch (onFailure) {
          case ON_FAILURE_UNSPECIFIED, ON_FAILURE_HOLD -> false;
          case ON_FAILURE_ABORT -> true;
          case UNRECOGNIZED ->
              throw Failure.Invalid.field("on_failure", "an unknown value", "HOLD or ABORT");
        };
    return new RolloutGates(
        FieldChecks.between("gates.max_rejections", gates.getMaxRejections(), 0, MAX_REJECTIONS),
        new MessageFields(gates, "gates.")
            .duration("ack_timeout", RolloutGates.DEFAULT_ACK_TIMEOUT, MIN_ACK, MAX_ACK),
        ratio("gates.max_unacked_ratio", gates.getMaxUnackedRatio()),
        gates.hasMaxDeathRatio()
            ? ratio("gates.max_death_ratio", gates.getMaxDeathRatio())
            : RolloutGates.DEFAULT_DEATH_RATIO,
        abort);
  }

  private static double ratio(String field, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw Failure.Invalid.field(field, value, "0..1");
    }
    return value;
  }
}
