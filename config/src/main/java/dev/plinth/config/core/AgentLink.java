package dev.plinth.config.core;

import dev.plinth.shards.Tx;
import java.util.List;

/** The stream of an agent. What is sent leaves when all that it rests on is durable, in order. */
public interface AgentLink {
  void assign(AssignedRelease release, Tx tx);

  /** Configs that have no release. */
  void unassigned(List<String> configs, Tx tx);

  /** All that is decided was sent. */
  void bookmark(Tx tx);

  /** Another stream of the same agent took its place. */
  void replaced(Tx tx);
}
