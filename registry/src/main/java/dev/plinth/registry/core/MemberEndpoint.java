package dev.plinth.registry.core;

/** Where a member serves what. */
public record MemberEndpoint(String name, String address) {}
