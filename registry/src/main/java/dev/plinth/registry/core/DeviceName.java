package dev.plinth.registry.core;

/** A device as its session names it. */
public record DeviceName(String room, String key, String device) {}
