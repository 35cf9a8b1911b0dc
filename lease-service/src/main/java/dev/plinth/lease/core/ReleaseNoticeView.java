package dev.plinth.lease.core;

import java.time.Duration;

/** An operator's wish that a holder lets go, and the time left for it. */
public record ReleaseNoticeView(Duration left, String actor, String reason) {}
