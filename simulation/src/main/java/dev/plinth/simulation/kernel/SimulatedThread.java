package dev.plinth.simulation.kernel;

/** A thread of a simulated process, on which code may wait for virtual time to pass. */
final class SimulatedThread {
  private final SimulatedProcess process;
  private final String name;
  private BatonThread baton;
  private long waits; // tells the wait of now from those before
  private boolean waiting;
  private boolean interrupted;

  SimulatedThread(SimulatedProcess process, String name) {
    this.process = process;
    this.name = name;
  }

  /** The one that runs the caller. */
  static SimulatedThread current() {
    if (Thread.currentThread() instanceof BatonThread thread) {
      return thread.current();
    }
    throw new IllegalStateException("tasks of schedulers and loops must not wait");
  }

  static boolean isCurrent() {
    return Thread.currentThread() instanceof BatonThread;
  }

  /** Runs until the task ends or waits for the first time. */
  void run(Runnable task) {
    process.add(this);
    baton = BatonThread.take(this);
    baton.begin(
        () -> {
          try {
            task.run();
          } catch (ProcessKilledError e) {
            // as it should
          } catch (Throwable e) {
            process.simulation().uncaught(process, e);
          } finally {
            process.remove(this);
          }
        });
  }

  /** Waits until {@link #wake} is called with the number of this wait, or it is interrupted. */
  void await(long wait) throws InterruptedException {
    checkAlive();
    if (takeInterrupt()) {
      throw new InterruptedException();
    }
    if (wait == waits) {
      waiting = true;
      baton.giveBack();
      checkAlive();
      if (takeInterrupt()) {
        throw new InterruptedException();
      }
    }
  }

  private boolean takeInterrupt() {
    boolean was = interrupted | Thread.interrupted();
    interrupted = false;
    return was;
  }

  private void checkAlive() {
    if (!process.isAlive()) {
      throw new ProcessKilledError();
    }
  }

  long nextWait() {
    return ++waits;
  }

  /** Ends a wait, unless it is over. */
  void wake(long wait) {
    if (wait == waits) {
      waits++;
      if (waiting) {
        waiting = false;
        process.after(0, this::goOn);
      }
    }
  }

  private void goOn() {
    if (baton.current() == this) {
      baton.handOver();
    }
  }

  void interrupt() {
    interrupted = true;
    wake(waits);
  }

  /** Unwinds it. */
  void kill() {
    if (baton != null && baton.current() == this && Thread.currentThread() != baton) {
      waits++;
      waiting = false;
      baton.handOver();
    }
  }

  @Override
  public String toString() {
    return process + "/" + name;
  }
}
