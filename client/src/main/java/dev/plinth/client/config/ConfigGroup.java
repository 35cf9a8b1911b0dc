package dev.plinth.client.config;

import com.google.protobuf.ByteString;
import dev.plinth.config.v1.Assignment;
import dev.plinth.config.v1.Snapshot;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * An assignment with all its content.
 *
 * @param contents by config
 */
record ConfigGroup(Assignment assignment, Map<String, ByteString> contents) {
  String group() {
    return assignment.getGroup();
  }

  GroupPosition position() {
    return new GroupPosition(assignment.getEpoch(), assignment.getGeneration());
  }

  Map<String, Snapshot> snapshots() {
    return assignment.getSnapshotsList().stream()
        .collect(Collectors.toMap(Snapshot::getConfig, Function.identity(), (one, two) -> two));
  }

  /** Content with this hash, if it is here. */
  Optional<ByteString> content(String config, ByteString sha256) {
    return Optional.ofNullable(snapshots().get(config))
        .filter(snapshot -> snapshot.getSha256().equals(sha256))
        .map(snapshot -> contents.get(config));
  }
}
