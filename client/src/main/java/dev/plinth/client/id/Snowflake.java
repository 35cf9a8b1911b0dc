package dev.plinth.client.id;

import java.time.Instant;

/** What a snowflake id is made of. */
public record Snowflake(Instant time, int worker, long sequence) {}
