package dev.plinth.lease.core;

/**
 * Who has which key, and under which token.
 *
 * @param term which leader it is, in an election; else 0
 */
public record HoldId(
    LeaseName name, LeaseOwner owner, long token, LeaseMode leaseMode, long term) {}
