package dev.plinth.id.core;

import java.time.Duration;

/** A range as it was leased. */
public record RangeView(
    String leaseId,
    long first,
    long count,
    int step,
    long epoch,
    Duration validFor,
    long suggestedNext) {}
