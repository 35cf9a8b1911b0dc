package dev.plinth.config.core;

import java.util.Optional;

/**
 * A revision to be made.
 *
 * @param expected the newest revision that there is; 0 to create the config
 * @param group that it belongs to; empty for that of its own name, or what it is
 * @param schema to be set, or empty text for none from now on; absent to leave it
 * @param checkedWith the revision that set the schema which the content was checked with
 */
public record PutSpec(
    ConfigName name,
    long expected,
    RevisionContent content,
    String group,
    Optional<String> schema,
    long checkedWith,
    String actor,
    String comment) {}
