package dev.plinth.shards;

import dev.plinth.shards.request.RecordedTx;
import dev.plinth.shards.store.Write;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Gathers the effects of one command, which the shard then adds to its open batch as a whole. */
final class ShardTx implements RecordedTx {
  private final ShardTimers timers;
  private final CommitPipeline commits;
  private final long nanos;
  private final Map<String, Write> writes = new LinkedHashMap<>();
  private final List<Appended> appended = new ArrayList<>(2);
  private final List<Event> events = new ArrayList<>();
  private final List<Runnable> answers = new ArrayList<>();
  private final List<Runnable> beforeCommit = new ArrayList<>();

  private final BooleanSupplier authority;

  /** Of now, on the shard's clock. */
  ShardTx(ShardTimers timers, CommitPipeline commits, BooleanSupplier authority) {
    this.authority = authority;
    this.timers = timers;
    this.commits = commits;
    this.nanos = timers.now();
  }

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public boolean hasAuthority() {
    return authority.getAsBoolean();
  }

  @Override
  public void put(String key, byte[] value) {
    writes.put(key, Write.put(key, value));
  }

  @Override
  public void delete(String key) {
    writes.put(key, Write.delete(key));
  }

  @Override
  public void append(CommitLog log, byte[] entry) {
    appended.add(new Appended(log, entry));
  }

  /** An entry and where it goes. */
  record Appended(CommitLog log, byte[] entry) {}

  @Override
  public int writes() {
    return writes.size() + (appended.isEmpty() ? 0 : 1);
  }

  @Override
  public void afterCommit(Runnable task) {
    answer(task);
  }

  @Override
  public void emit(Event event) {
    events.add(event);
  }

  @Override
  public long token() {
    return commits.nextToken();
  }

  @Override
  public long tokenLimit() {
    return commits.tokenLimit();
  }

  @Override
  public Timer at(long dueNanos, TimerTask task) {
    return timers.schedule(dueNanos, task);
  }

  @Override
  public Timer tellAt(long dueNanos, TimerTask task) {
    return timers.scheduleTelling(dueNanos, task);
  }

  /** Leaves when this transaction, and all it may have seen, is durable. */
  void answer(Runnable answer) {
    answers.add(answer);
  }

  @Override
  public void beforeCommit(Runnable step) {
    beforeCommit.add(step);
  }

  void prepare() {
    beforeCommit.forEach(Runnable::run);
  }

  int bytes() {
    int bytes = 0;
    for (Write write : writes.values()) {
      bytes += write.bytes();
    }
    for (Appended entry : appended) {
      bytes += entry.entry().length;
    }
    return bytes;
  }

  @Override
  public boolean isDirty() {
    return !writes.isEmpty() || !appended.isEmpty() || !events.isEmpty();
  }

  Map<String, Write> rows() {
    return writes;
  }

  List<Appended> appended() {
    return appended;
  }

  List<Event> events() {
    return events;
  }

  List<Runnable> answers() {
    return answers;
  }
}
