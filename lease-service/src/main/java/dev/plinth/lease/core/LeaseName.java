package dev.plinth.lease.core;

/** A key in its namespace. */
public record LeaseName(String namespace, String key) {}
