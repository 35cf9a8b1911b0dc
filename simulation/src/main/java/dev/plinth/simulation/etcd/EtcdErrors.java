package dev.plinth.simulation.etcd;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/** The refusals of etcd, with its codes and its words. */
final class EtcdErrors {
  static final String TIMED_OUT =
      "etcdserver: request timed out, possibly due to previous leader failure";

  private EtcdErrors() {}

  static StatusRuntimeException emptyKey() {
    return invalid("key is not provided");
  }

  static StatusRuntimeException keyNotFound() {
    return invalid("key not found");
  }

  static StatusRuntimeException valueProvided() {
    return invalid("value is provided");
  }

  static StatusRuntimeException leaseProvided() {
    return invalid("lease is provided");
  }

  static StatusRuntimeException tooManyOps() {
    return invalid("too many operations in txn request");
  }

  static StatusRuntimeException duplicateKey() {
    return invalid("duplicate key given in txn request");
  }

  static StatusRuntimeException requestTooLarge() {
    return invalid("request is too large");
  }

  private static StatusRuntimeException invalid(String what) {
    return failure(Status.INVALID_ARGUMENT, "etcdserver: " + what);
  }

  static StatusRuntimeException compacted() {
    return failure(Status.OUT_OF_RANGE, "etcdserver: mvcc: required revision has been compacted");
  }

  static StatusRuntimeException futureRevision() {
    return failure(Status.OUT_OF_RANGE, "etcdserver: mvcc: required revision is a future revision");
  }

  static StatusRuntimeException noSpace() {
    return failure(Status.RESOURCE_EXHAUSTED, "etcdserver: mvcc: database space exceeded");
  }

  static StatusRuntimeException messageTooLarge(int bytes, int most) {
    return failure(
        Status.RESOURCE_EXHAUSTED,
        "grpc: received message larger than max (%d vs. %d)".formatted(bytes, most));
  }

  static StatusRuntimeException leaseNotFound() {
    return failure(Status.NOT_FOUND, "etcdserver: requested lease not found");
  }

  static StatusRuntimeException leaseExists() {
    return failure(Status.FAILED_PRECONDITION, "etcdserver: lease already exists");
  }

  static StatusRuntimeException ttlTooLarge() {
    return failure(Status.OUT_OF_RANGE, "etcdserver: too large lease TTL");
  }

  static StatusRuntimeException unavailable(String why) {
    return failure(Status.UNAVAILABLE, why);
  }

  static StatusRuntimeException deadlineExceeded() {
    return failure(Status.DEADLINE_EXCEEDED, "deadline exceeded: no answer from etcd");
  }

  private static StatusRuntimeException failure(Status status, String text) {
    return status.withDescription(text).asRuntimeException();
  }
}
