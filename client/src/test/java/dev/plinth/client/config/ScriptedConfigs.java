package dev.plinth.client.config;

import com.google.protobuf.ByteString;
import dev.plinth.client.ScriptedRegistry;
import dev.plinth.config.v1.Ack;
import dev.plinth.config.v1.Assignment;
import dev.plinth.config.v1.Bookmark;
import dev.plinth.config.v1.Chunk;
import dev.plinth.config.v1.ConfigDistributionServiceGrpc.ConfigDistributionServiceImplBase;
import dev.plinth.config.v1.Hello;
import dev.plinth.config.v1.Snapshot;
import dev.plinth.config.v1.SyncRequest;
import dev.plinth.config.v1.SyncResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The server's end of the stream of configs, as a test has it. */
final class ScriptedConfigs extends ConfigDistributionServiceImplBase {
  final List<Hello> hellos = new ArrayList<>();

  /** Such as "limits 1/7 APPLIED". */
  final List<String> acks = new ArrayList<>();

  final List<Ack> allAcks = new ArrayList<>();
  private StreamObserver<SyncResponse> stream;
  ScriptedRegistry registry;

  @Override
  public StreamObserver<SyncRequest> sync(StreamObserver<SyncResponse> to) {
    stream = to;
    return new StreamObserver<>() {
      @Override
      public void onNext(SyncRequest message) {
        if (message.hasHello()) {
          hellos.add(message.getHello());
        } else {
          Ack ack = message.getAck();
          allAcks.add(ack);
          acks.add(
              "%s %d/%d %s"
                  .formatted(
                      ack.getGroup(),
                      ack.getEpoch(),
                      ack.getGeneration(),
                      ack.getState().name().substring("ACK_STATE_".length())));
        }
      }

      @Override
      public void onError(Throwable thrown) {}

      @Override
      public void onCompleted() {}
    };
  }

  Hello hello() {
    return hellos.get(hellos.size() - 1);
  }

  void send(SyncResponse message) {
    stream.onNext(message);
    registry.clock.runDue();
  }

  void bookmark() {
    send(SyncResponse.newBuilder().setBookmark(Bookmark.getDefaultInstance()).build());
  }

  void fail(Status status) {
    stream.onError(status.asRuntimeException());
    registry.clock.runDue();
  }

  static Snapshot.Builder snapshot(String config, String content) {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    return Snapshot.newBuilder()
        .setConfig(config)
        .setRevision(1)
        .setSize(bytes.length)
        .setSha256(ByteString.copyFrom(ContentVerifier.sha256(bytes)));
  }

  /** A group with one config of the same name. */
  void assign(String config, long epoch, long generation, String content) {
    assign(config, epoch, generation, Map.of(config, content));
  }

  void assign(String group, long epoch, long generation, Map<String, String> contents) {
    Assignment.Builder assignment =
        Assignment.newBuilder().setGroup(group).setEpoch(epoch).setGeneration(generation);
    List<String> names = contents.keySet().stream().sorted().toList();
    names.forEach(name -> assignment.addSnapshots(snapshot(name, contents.get(name))));
    assign(assignment.build(), contents);
  }

  /** The content comes in chunks of at most three bytes. */
  void assign(Assignment assignment, Map<String, String> contents) {
    send(SyncResponse.newBuilder().setAssignment(assignment).build());
    for (Snapshot snapshot : assignment.getSnapshotsList()) {
      if (!snapshot.getHeld()) {
        chunks(assignment, snapshot, contents.get(snapshot.getConfig()));
      }
    }
  }

  private void chunks(Assignment assignment, Snapshot snapshot, String content) {
    ByteString bytes = ByteString.copyFromUtf8(content);
    for (int i = 0; i < bytes.size(); i += 3) {
      int end = Math.min(i + 3, bytes.size());
      send(
          SyncResponse.newBuilder()
              .setChunk(
                  Chunk.newBuilder()
                      .setGroup(assignment.getGroup())
                      .setConfig(snapshot.getConfig())
                      .setGeneration(assignment.getGeneration())
                      .setOffset(i)
                      .setData(bytes.substring(i, end))
                      .setLast(end == bytes.size()))
              .build());
    }
  }
}
