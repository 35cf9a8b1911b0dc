package dev.plinth.simulation.etcd;

/** What becomes of a request on its way to etcd and back. */
public enum RequestFate {
  /** Applied in the order in which it was sent, and answered. */
  ANSWERED,
  /** Applied, but the answer is lost: the caller has DEADLINE_EXCEEDED. */
  ANSWER_LOST,
  /** Applied after requests that were sent later, perhaps after the caller has given up. */
  APPLIED_LATE,
  /** Not applied; the caller has UNAVAILABLE. */
  REFUSED,
  /** Not applied; the caller has DEADLINE_EXCEEDED. */
  REQUEST_LOST
}
