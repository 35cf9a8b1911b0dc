package dev.plinth.lease.core;

/** A key in its namespace. */
public record LeaseName(String namespace, String key) {
  private static final String ELECTION = "election/";

  /** What the key of a row, after its prefix, names. */
  static LeaseName ofPath(String path) {
    int slash = path.indexOf('/');
    return new LeaseName(path.substring(0, slash), path.substring(slash + 1));
  }

  /** The key whose holder leads. */
  public static LeaseName ofElection(String namespace, String election) {
    return new LeaseName(namespace, ELECTION + election);
  }

  /** Its grants are counted as terms. */
  boolean isElection() {
    return key.startsWith(ELECTION);
  }

  public String path() {
    return namespace + "/" + key;
  }
}
