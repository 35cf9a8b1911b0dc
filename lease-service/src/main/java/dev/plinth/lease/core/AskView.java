package dev.plinth.lease.core;

import java.time.Duration;

/** An operator's wish that a holder lets go, and the time left for it. */
public record AskView(Duration left, String actor, String reason) {}
