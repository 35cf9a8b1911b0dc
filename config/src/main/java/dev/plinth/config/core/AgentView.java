package dev.plinth.config.core;

/**
 * An agent of a group at one moment.
 *
 * @param sessionId empty if it named none
 * @param assigned what it is to have
 * @param runs what it said it runs
 * @param rejection what it rejected last, and why
 */
public record AgentView(
    GroupName group,
    AgentIdentity identity,
    boolean connected,
    String sessionId,
    AgentProgress progress,
    ReleaseOrder assigned,
    ReleaseOrder runs,
    LastRejection rejection) {
  /** The release, or none, and what the agent said. */
  public record LastRejection(ReleaseOrder order, String error) {}

  // By estimate: names, numbers, error.
  private static final int OVERHEAD = 256;

  int bytes() {
    return OVERHEAD + identity.labels().size() * OVERHEAD / 2 + rejection.error().length();
  }
}
