package dev.plinth.testkit.engine;

import java.util.List;

/** One way to come by a running engine, named for the list of what was tried. */
record EngineSource(String name, Start start) {
  interface Start {
    /** Running nodes that answer; any exception means that this source has none. */
    List<EngineNode> nodes() throws Exception;
  }
}
