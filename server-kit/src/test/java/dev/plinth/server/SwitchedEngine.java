package dev.plinth.server;

import java.util.Optional;

/** An engine that is in trouble when the test says so. */
final class SwitchedEngine implements Engine {
  private final String name;
  private final boolean essential;
  private volatile Optional<String> trouble = Optional.empty();
  private volatile boolean broken;

  SwitchedEngine(String name) {
    this(name, true);
  }

  SwitchedEngine(String name, boolean essential) {
    this.name = name;
    this.essential = essential;
  }

  void fail(String why) {
    trouble = Optional.of(why);
  }

  /** Not even to be asked. */
  void breakDown() {
    broken = true;
  }

  void recover() {
    trouble = Optional.empty();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String kind() {
    return "test";
  }

  @Override
  public String location() {
    return "nowhere";
  }

  @Override
  public boolean isEssential() {
    return essential;
  }

  @Override
  public Optional<String> unavailableReason() {
    if (broken) {
      throw new IllegalStateException("cannot tell");
    }
    return trouble;
  }
}
