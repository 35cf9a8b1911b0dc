package dev.plinth.client.config;

import com.google.protobuf.ByteString;
import dev.plinth.config.v1.Assignment;
import dev.plinth.config.v1.Chunk;
import dev.plinth.config.v1.Snapshot;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Puts an assignment together from its chunks. */
final class AssignmentReader {
  private static final int MAX_CONTENT = 4 << 20;

  /** The stream does not say what it should: it must be opened again. */
  static final class BrokenStreamException extends Exception {
    private static final long serialVersionUID = 1;

    BrokenStreamException(String what) {
      super(what);
    }
  }

  private Assignment assignment;
  private final ArrayDeque<Snapshot> awaited = new ArrayDeque<>();
  private final Map<String, ByteString> contents = new HashMap<>();
  private ByteString arrived = ByteString.EMPTY;

  /** Of a new stream. */
  void reset() {
    assignment = null;
    awaited.clear();
    contents.clear();
    arrived = ByteString.EMPTY;
  }

  /**
   * @param held what this agent has of the group; null if nothing
   */
  Optional<ConfigGroup> begin(Assignment next, ConfigGroup held) throws BrokenStreamException {
    if (assignment != null) {
      throw new BrokenStreamException("an assignment before the end of another");
    }
    long size = next.getSnapshotsList().stream().mapToLong(Snapshot::getSize).sum();
    if (size > MAX_CONTENT) {
      throw new BrokenStreamException("an assignment of " + size + " bytes");
    }
    assignment = next;
    for (Snapshot snapshot : next.getSnapshotsList()) {
      if (snapshot.getHeld()) {
        Optional<ByteString> content =
            held == null
                ? Optional.empty()
                : held.content(snapshot.getConfig(), snapshot.getSha256());
        contents.put(
            snapshot.getConfig(),
            content.orElseThrow(
                () -> new BrokenStreamException("content that is not held is not sent")));
      } else if (snapshot.getSize() == 0) {
        contents.put(snapshot.getConfig(), ByteString.EMPTY);
      } else {
        awaited.add(snapshot);
      }
    }
    return whole();
  }

  Optional<ConfigGroup> add(Chunk chunk) throws BrokenStreamException {
    Snapshot snapshot = awaited.peek();
    boolean fits =
        snapshot != null
            && chunk.getConfig().equals(snapshot.getConfig())
            && chunk.getGroup().equals(assignment.getGroup())
            && chunk.getGeneration() == assignment.getGeneration()
            && chunk.getOffset() == arrived.size()
            && arrived.size() + chunk.getData().size() <= snapshot.getSize();
    if (!fits) {
      throw new BrokenStreamException("a chunk of " + chunk.getConfig() + " out of order");
    }
    arrived = arrived.concat(chunk.getData());
    if (chunk.getLast()) {
      contents.put(snapshot.getConfig(), arrived);
      arrived = ByteString.EMPTY;
      awaited.remove();
    }
    return whole();
  }

  private Optional<ConfigGroup> whole() {
    if (!awaited.isEmpty()) {
      return Optional.empty();
    }
    ConfigGroup group = new ConfigGroup(assignment, Map.copyOf(contents));
    reset();
    return Optional.of(group);
  }
}
