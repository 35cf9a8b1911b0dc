package dev.plinth.client.partition;

import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.OperationDeadline;
import dev.plinth.client.internal.ResumingWatch;
import dev.plinth.registry.v1.Partition;
import dev.plinth.registry.v1.PartitionServiceGrpc;
import dev.plinth.registry.v1.PartitionSnapshot;
import dev.plinth.registry.v1.WatchPartitionsRequest;
import dev.plinth.registry.v1.WatchPartitionsResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Who owns which partition of a group, as a watch tells of it, until it is closed. It says what was
 * true a moment ago: only the token, checked where something is written, says what is.
 */
public final class PartitionOwners implements AutoCloseable {
  private final WatchPartitionsRequest request;
  private final int count;
  private final ResumingWatch<WatchPartitionsRequest, WatchPartitionsResponse> stream;
  private final Consumer<List<Partition>> onChange;
  // On the event loop.
  private Map<Integer, Partition> partitions = new TreeMap<>();
  private List<Partition> arriving = new ArrayList<>();
  private String resumeToken = "";
  private volatile Map<Integer, Partition> view = Map.of();

  /**
   * @param onChange told on the event loop what is new; never before it is in the view
   */
  PartitionOwners(
      String namespace,
      String group,
      int count,
      ClientRuntime runtime,
      Consumer<List<Partition>> onChange) {
    this.request =
        WatchPartitionsRequest.newBuilder().setNamespace(namespace).setGroup(group).build();
    this.count = count;
    this.onChange = onChange;
    stream =
        new ResumingWatch<>(
            runtime,
            PartitionServiceGrpc.getWatchPartitionsMethod(),
            this::nextRequest,
            new ResponseReceiver());
  }

  private WatchPartitionsRequest nextRequest() {
    arriving.clear();
    return request.toBuilder().setResumeToken(resumeToken).build();
  }

  void begin(OperationDeadline deadline) throws InterruptedException {
    stream.begin(deadline);
  }

  void open() {
    stream.open();
  }

  public int partitionOf(String key) {
    return KeyPartitions.of(key, count);
  }

  /** Who owns the partition of this key; empty while it has no owner. One read of memory. */
  public Optional<Partition> ownerOf(String key) {
    return owner(partitionOf(key));
  }

  /** Who owns the partition; empty while it has no owner. */
  public Optional<Partition> owner(int partition) {
    return Optional.ofNullable(view.get(partition)).filter(each -> !each.getOwner().isEmpty());
  }

  /** All partitions that are known, by number. */
  public Map<Integer, Partition> partitions() {
    return view;
  }

  /** How long ago the server was last heard of; a few seconds when all is well. */
  public Duration age() {
    return stream.age();
  }

  private void publish(List<Partition> changed) {
    view = Map.copyOf(partitions);
    stream.begun();
    onChange.accept(changed);
  }

  private final class ResponseReceiver implements ResumingWatch.Listener<WatchPartitionsResponse> {
    @Override
    public void onMessage(WatchPartitionsResponse message) {
      switch (message.getBodyCase()) {
        case SNAPSHOT -> snapshot(message.getSnapshot());
        case EVENTS -> {
          List<Partition> changed = message.getEvents().getPartitionsList();
          changed.forEach(each -> partitions.put(each.getPartition(), each));
          publish(changed);
        }
        case GAP -> resumeToken = "";
        default -> {} // progress: only the token
      }
      if (!message.hasGap() && !message.getResumeToken().isEmpty()) {
        resumeToken = message.getResumeToken();
      }
    }

    private void snapshot(PartitionSnapshot part) {
      arriving.addAll(part.getPartitionsList());
      if (!part.getMore()) {
        List<Partition> all = List.copyOf(arriving);
        arriving.clear();
        partitions = new TreeMap<>();
        all.forEach(each -> partitions.put(each.getPartition(), each));
        publish(all);
      }
    }

    @Override
    public void loseTrack() {
      resumeToken = "";
    }
  }

  @Override
  public void close() {
    stream.close();
  }
}
