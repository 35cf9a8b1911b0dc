package dev.plinth.shards.store.embedded;

import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.Write;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What each shard held after each of its commits. */
final class CommitHistory {
  /** The last commit and the last claim of each shard. */
  record Position(long[] revisions, long[] epochs) {}

  private final List<List<Map<String, Integer>>> states = new ArrayList<>();
  private final long[] epochs;

  CommitHistory(int shards) {
    epochs = new long[shards];
    for (int i = 0; i < shards; i++) {
      states.add(new ArrayList<>(List.of(Map.of())));
    }
  }

  void claimed(OwnedShard shard) {
    epochs[shard.shard()] = shard.epoch();
  }

  void sent(int shard, List<Write> writes) {
    Map<String, Integer> next = new HashMap<>(last(shard));
    for (Write write : writes) {
      if (write.isDelete()) {
        next.remove(write.key());
      } else {
        next.put(write.key(), Arrays.hashCode(write.value()));
      }
    }
    states.get(shard).add(next);
  }

  private Map<String, Integer> last(int shard) {
    return states.get(shard).get(states.get(shard).size() - 1);
  }

  Position position() {
    return new Position(
        states.stream().mapToLong(commits -> commits.size() - 1).toArray(), epochs.clone());
  }

  /** What is wrong with a shard that was claimed in a reopened store, if anything is. */
  Optional<String> wrong(OwnedShard shard, Position acknowledged, Position sent) {
    int number = shard.shard();
    long revision = shard.revision();
    if (shard.epoch() <= acknowledged.epochs[number]) {
      return Optional.of(
          "shard %d: claim %d came before %d"
              .formatted(number, acknowledged.epochs[number], shard.epoch()));
    }
    if (revision < acknowledged.revisions[number] || revision > sent.revisions[number]) {
      return Optional.of(
          "shard %d ends at commit %d (acknowledged: %d, sent: %d)"
              .formatted(number, revision, acknowledged.revisions[number], sent.revisions[number]));
    }
    Map<String, Integer> rows = new HashMap<>();
    for (Row row : shard.load()) {
      rows.put(row.key(), Arrays.hashCode(row.value()));
    }
    Map<String, Integer> expected = states.get(number).get((int) revision);
    return rows.equals(expected)
        ? Optional.empty()
        : Optional.of(
            "shard %d at commit %d: %s".formatted(number, revision, diff(expected, rows)));
  }

  private static String diff(Map<String, Integer> expected, Map<String, Integer> rows) {
    List<String> lost = expected.keySet().stream().filter(key -> !rows.containsKey(key)).toList();
    List<String> extra = rows.keySet().stream().filter(key -> !expected.containsKey(key)).toList();
    List<String> other =
        expected.keySet().stream()
            .filter(key -> rows.containsKey(key) && !rows.get(key).equals(expected.get(key)))
            .toList();
    return "lost rows %s, rows that were deleted %s, other values %s".formatted(lost, extra, other);
  }
}
