package dev.plinth.lease.core;

/** A key in its namespace. */
public record LeaseName(String namespace, String key) {
  private static final String ELECTION = "election/";

  /** The key whose holder leads. */
  public static LeaseName ofElection(String namespace, String election) {
    return new LeaseName(namespace, ELECTION + election);
  }

  /** Its grants are counted as terms. */
  boolean isElection() {
    return key.startsWith(ELECTION);
  }

  String path() {
    return namespace + "/" + key;
  }
}
