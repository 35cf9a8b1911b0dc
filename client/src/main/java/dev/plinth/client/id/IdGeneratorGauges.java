package dev.plinth.client.id;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What is measured of a handle.
 *
 * @param issued ids handed out so far
 * @param runway ids that are ready
 * @param ahead how far the time in ids is ahead of the clock
 */
record IdGeneratorGauges(
    String namespace, LongSupplier issued, LongSupplier runway, Supplier<Duration> ahead) {}
