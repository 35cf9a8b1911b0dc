package dev.plinth.config.grpc;

import com.google.protobuf.ByteString;
import dev.plinth.config.core.Agents;
import dev.plinth.config.core.AssignedRelease;
import dev.plinth.config.core.AssignedRelease.AssignedConfig;
import dev.plinth.config.core.RevisionContent;
import dev.plinth.config.v1.Assignment;
import dev.plinth.config.v1.Bookmark;
import dev.plinth.config.v1.Chunk;
import dev.plinth.config.v1.Snapshot;
import dev.plinth.config.v1.SyncResponse;
import dev.plinth.config.v1.Unassigned;
import dev.plinth.server.call.FieldChecks;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** What agents are told. */
final class SyncWire {
  /** Small enough that many agents that read slowly do not fill the memory. */
  static final int CHUNK = 64 << 10;

  static final SyncResponse BOOKMARK =
      SyncResponse.newBuilder()
          .setBookmark(Bookmark.newBuilder().setNextIn(FieldChecks.wire(Agents.BOOKMARK_INTERVAL)))
          .build();

  private SyncWire() {}

  static SyncResponse unassigned(List<String> configs) {
    return SyncResponse.newBuilder()
        .setUnassigned(Unassigned.newBuilder().addAllConfigs(configs))
        .build();
  }

  static Assignment assignment(AssignedRelease release) {
    return Assignment.newBuilder()
        .setGroup(release.group())
        .setEpoch(release.order().epoch())
        .setGeneration(release.order().generation())
        .addAllSnapshots(release.configs().stream().map(SyncWire::snapshot).toList())
        .build();
  }

  private static Snapshot snapshot(AssignedConfig assigned) {
    RevisionContent content = assigned.revision().content();
    Snapshot.Builder snapshot =
        Snapshot.newBuilder()
            .setConfig(assigned.config())
            .setRevision(assigned.revision().number())
            .setContentType(content.type())
            .setSha256(ConfigWire.bytes(content.sha256()))
            .setSize(content.bytes().length)
            .setSignature(ConfigWire.bytes(content.signature()))
            .setKeyId(content.keyId())
            .setHeld(assigned.held());
    content.maxStaleness().map(FieldChecks::wire).ifPresent(snapshot::setMaxStaleness);
    return snapshot.build();
  }

  /** An assignment and the content that the agent does not hold, each made when it is taken. */
  static Iterator<SyncResponse> messages(AssignedRelease release) {
    Stream<SyncResponse> first =
        Stream.of(SyncResponse.newBuilder().setAssignment(assignment(release)).build());
    Stream<SyncResponse> content =
        release.configs().stream()
            .filter(config -> !config.held())
            .flatMap(config -> chunks(release, config));
    return Stream.concat(first, content).iterator();
  }

  private static Stream<SyncResponse> chunks(AssignedRelease release, AssignedConfig config) {
    ByteString content = ConfigWire.bytes(config.revision().content().bytes());
    return Stream.iterate(0, offset -> offset < content.size(), offset -> offset + CHUNK)
        .map(
            offset -> {
              int end = Math.min(content.size(), offset + CHUNK);
              return SyncResponse.newBuilder()
                  .setChunk(
                      Chunk.newBuilder()
                          .setGroup(release.group())
                          .setConfig(config.config())
                          .setGeneration(release.order().generation())
                          .setOffset(offset)
                          .setData(content.substring(offset, end))
                          .setLast(end == content.size()))
                  .build();
            });
  }
}
