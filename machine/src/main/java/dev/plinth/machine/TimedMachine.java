package dev.plinth.machine;

/** A machine whose promises go by a time that is given. */
final class TimedMachine extends ForwardingMachine {
  private final TimeSource time;

  TimedMachine(Machine machine, TimeSource time) {
    super(machine);
    this.time = time;
  }

  @Override
  public TimeSource time() {
    return time;
  }
}
