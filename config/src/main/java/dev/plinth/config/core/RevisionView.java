package dev.plinth.config.core;

/** A revision of a config, with the schema that holds for the next one. */
public record RevisionView(ConfigName name, String group, Revision revision, String schema) {}
