package dev.plinth.simulation.kernel;

/** Something that happens at a moment of virtual time, to the process that it belongs to. */
public final class ScheduledEvent implements Comparable<ScheduledEvent> {
  final SimulatedProcess owner;
  final Runnable task;
  private final long time;
  private final long tie;
  private final long sequence;
  private boolean cancelled;

  ScheduledEvent(SimulatedProcess owner, Runnable task, long time, long tie, long sequence) {
    this.owner = owner;
    this.task = task;
    this.time = time;
    this.tie = tie;
    this.sequence = sequence;
  }

  long time() {
    return time;
  }

  public void cancel() {
    cancelled = true;
  }

  boolean isCancelled() {
    return cancelled;
  }

  @Override
  public int compareTo(ScheduledEvent other) {
    int byTime = Long.compare(time, other.time);
    int byTie = byTime != 0 ? byTime : Long.compare(tie, other.tie);
    return byTie != 0 ? byTie : Long.compare(sequence, other.sequence);
  }
}
