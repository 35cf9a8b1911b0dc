package dev.plinth.id.core;

/** Where the ids of a counter are: their sum is all that were ever set aside or given out. */
public record SequenceLedger(long issued, long wasted, long outstanding) {
  static final SequenceLedger EMPTY = new SequenceLedger(0, 0, 0);

  public long sum() {
    return issued + wasted + outstanding;
  }
}
