package dev.plinth.ratelimit.core;

/** One property of what is to be limited, such as tenant=acme. */
public record Descriptor(String key, String value) {}
