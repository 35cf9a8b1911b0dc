package dev.plinth.simulation.etcd;

/** The way between one client and etcd. */
public enum EtcdLinkState {
  OPEN,
  /**
   * Nothing comes through, and nobody is told. When the way opens again, what was sent meanwhile
   * may arrive late, as TCP repeats it, or never.
   */
  SILENT,
  /** Requests are applied as ever, but their answers are lost, or late as above. */
  ANSWERS_LOST,
  /** Every call fails at once with UNAVAILABLE, and those in flight too. */
  REFUSED
}
