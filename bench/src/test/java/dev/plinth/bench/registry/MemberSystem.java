package dev.plinth.bench.registry;

import java.io.IOException;

/** Keeps members alive and tells watchers of them. */
interface MemberSystem extends AutoCloseable {
  /** Makes members of sessions, and keeps them alive from now on until it is closed. */
  void keepAlive(int sessions, int membersEach) throws Exception;

  /** CPU seconds that its servers have used. */
  double cpuSeconds();

  /** Makes the members of one group, of which one changes later. */
  void fill(int members) throws Exception;

  /** Watches that group, each watcher from a whole snapshot on; returns when all have it. */
  void watch(int watchers) throws Exception;

  /** Ends all watches without a word. */
  void cutWatches() throws IOException;

  /** Changes one member; the watchers of {@link #watch} tell the arrivals. */
  void change(Arrivals arrivals) throws Exception;

  @Override
  void close() throws IOException;
}
