package dev.plinth.lease.core;

/**
 * One key that is wished for.
 *
 * @param weight of a semaphore's capacity; 0 in other modes
 */
public record KeyRequest(LeaseName name, LeaseMode leaseMode, int weight) {}
