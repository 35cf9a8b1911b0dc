package dev.plinth.bench.limits;

import dev.plinth.bench.Load.Times;
import java.io.Serializable;

/** What each process of a run is to do. */
record Job(Entry entry, Case what, int threads, Times times) implements Serializable {}
