package dev.plinth.client.internal;

import dev.plinth.machine.Machine;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** The machine, threads and schedules that all parts of a client share. */
public final class ClientEnvironment {
  private static final long VERSION_BITS = 0xF000;
  private static final long VERSION_4 = 0x4000;
  private static final long VARIANT_BITS = 0xC000_0000_0000_0000L;
  private static final long VARIANT_2 = 0x8000_0000_0000_0000L;

  private final Machine machine;
  // Read at every use of a handle or a limiter, so not by way of the machine each time.
  private final LongSupplier nanos;
  private final InstantSource wall;
  private final ClientEventLoop loop;
  private final Executor callbacks;
  private final RetrySchedule retries;
  private final ClientEvents events;

  /**
   * @param callbacks runs the application's callbacks, which may block, so never on the event loop
   */
  public ClientEnvironment(
      Machine machine,
      ClientEventLoop loop,
      Executor callbacks,
      RetrySchedule retries,
      ClientEvents events) {
    this.machine = machine;
    this.nanos = machine.time().nanos();
    this.wall = machine.time();
    this.loop = loop;
    this.callbacks = callbacks;
    this.retries = retries;
    this.events = events;
  }

  public Machine machine() {
    return machine;
  }

  /** The monotonic clock. */
  public LongSupplier nanos() {
    return nanos;
  }

  /** Only to notice that the machine slept, and for the times in ids. */
  public InstantSource wall() {
    return wall;
  }

  public ClockReading now() {
    return new ClockReading(nanos.getAsLong(), wall.millis());
  }

  public ClientEventLoop loop() {
    return loop;
  }

  public Executor callbacks() {
    return callbacks;
  }

  public RetrySchedule retries() {
    return retries;
  }

  public ClientEvents events() {
    return events;
  }

  /**
   * A UUID that nobody can guess: the answer that the server keeps for it is its sender's alone.
   */
  public String newRequestId() {
    byte[] bytes = new byte[2 * Long.BYTES];
    machine.secureRandom().nextBytes(bytes);
    ByteBuffer bits = ByteBuffer.wrap(bytes);
    long high = bits.getLong() & ~VERSION_BITS | VERSION_4;
    long low = bits.getLong() & ~VARIANT_BITS | VARIANT_2;
    return new UUID(high, low).toString();
  }
}
