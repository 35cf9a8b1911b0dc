package dev.plinth.testkit.linear;

import dev.plinth.testkit.History.Operation;
import java.util.List;

/** A number that can be written, read, and replaced if it is as expected. */
final class RegisterModel implements SequentialModel<Integer, RegisterModel.Call, Integer> {
  enum Kind {
    READ,
    WRITE,
    REPLACE
  }

  /** REPLACE answers 1 if the value was as expected, else 0. */
  record Call(Kind kind, int expected, int value) {}

  static final Call READ = new Call(Kind.READ, 0, 0);

  static Call write(int value) {
    return new Call(Kind.WRITE, 0, value);
  }

  static Call replace(int expected, int value) {
    return new Call(Kind.REPLACE, expected, value);
  }

  @Override
  public Integer initial() {
    return 0;
  }

  @Override
  public List<Integer> apply(Integer state, Operation<Call, Integer> op) {
    Call call = op.input();
    boolean fits = call.kind() != Kind.REPLACE || call.expected() == state;
    int next = call.kind() == Kind.READ || !fits ? state : call.value();
    int answer = call.kind() == Kind.READ ? state : fits ? 1 : 0;
    return op.output().isEmpty() || op.output().get() == answer ? List.of(next) : List.of();
  }

  @Override
  public boolean isObservation(Operation<Call, Integer> operation) {
    return operation.input().kind() == Kind.READ;
  }
}
