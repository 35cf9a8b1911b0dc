package dev.plinth.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * What concurrent clients asked and were told, in real time on one monotonic clock, for checkers to
 * judge afterwards. Safe for any number of threads.
 *
 * @param <I> what was asked
 * @param <O> what was answered
 */
public final class History<I, O> {
  /** How an operation ended, as its caller knows it. */
  public enum Ending {
    /** Answered. */
    OK,
    /** Refused, surely without effect. */
    FAILED,
    /** No answer: it may have had its effect at any time from its start on. */
    UNKNOWN
  }

  /** One operation. An UNKNOWN one returns at the end of time, since its effect may come late. */
  public record Operation<I, O>(
      int client, I input, long invoked, long returned, Ending ending, Optional<O> output) {}

  /** An operation under way; end it exactly once. One never ended counts as UNKNOWN. */
  public final class Call {
    private final int client;
    private final I input;
    private final long invoked;
    private Operation<I, O> ended;

    private Call(int client, I input) {
      this.client = client;
      this.input = input;
      this.invoked = tick();
    }

    public void ok(O output) {
      end(Ending.OK, Optional.of(output));
    }

    public void failed() {
      end(Ending.FAILED, Optional.empty());
    }

    public void unknown() {
      end(Ending.UNKNOWN, Optional.empty());
    }

    private synchronized void end(Ending ending, Optional<O> output) {
      if (ended != null) {
        throw new IllegalStateException("ended already: " + ended);
      }
      long returned = ending == Ending.UNKNOWN ? Long.MAX_VALUE : tick();
      ended = new Operation<>(client, input, invoked, returned, ending, output);
    }

    private synchronized Operation<I, O> operation() {
      return ended != null
          ? ended
          : new Operation<>(
              client, input, invoked, Long.MAX_VALUE, Ending.UNKNOWN, Optional.empty());
    }
  }

  private final LongSupplier nanos;
  private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);
  private final List<Call> calls = new ArrayList<>();

  public History() {
    this(System::nanoTime);
  }

  public History(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Call right before sending. */
  public Call invoke(int client, I input) {
    Call call = new Call(client, input);
    synchronized (calls) {
      calls.add(call);
    }
    return call;
  }

  /** All operations so far, in the order they were started. */
  public List<Operation<I, O>> operations() {
    List<Call> all;
    synchronized (calls) {
      all = List.copyOf(calls);
    }
    return all.stream()
        .map(Call::operation)
        .sorted(Comparator.comparingLong(Operation::invoked))
        .toList();
  }

  /** A line an operation, to look at after a failed check. */
  public void write(Path file) throws IOException {
    Files.write(file, operations().stream().map(Operation::toString).toList());
  }

  /** Never the same twice, so that start and end of two operations are always in an order. */
  private long tick() {
    return last.updateAndGet(previous -> Math.max(previous + 1, nanos.getAsLong()));
  }
}
