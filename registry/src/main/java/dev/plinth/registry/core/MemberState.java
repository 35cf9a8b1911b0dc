package dev.plinth.registry.core;

/** How a member is. */
public enum MemberState {
  ALIVE,
  DRAINING,
  SUSPECT,
  DEAD,
  LEFT
}
