package dev.plinth.lease.core;

/**
 * One key that is wished for.
 *
 * @param weight of a semaphore's capacity; 0 in other modes
 */
public record Want(LeaseName name, Mode mode, int weight) {}
