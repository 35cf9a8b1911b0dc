package dev.plinth.id.core;

import java.util.List;

/**
 * Ids that were allocated: dense ones by the first, their number and their distance, others one by
 * one.
 */
public record AllocatedIds(List<Long> listed, long first, int count, int step) {}
