package dev.plinth.lease.core;

import java.time.Duration;
import java.util.List;

/**
 * A session as it was at one moment.
 *
 * @param held what hangs on it
 */
public record SessionView(String id, Duration ttl, List<LeaseView> held) {}
