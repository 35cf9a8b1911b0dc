package dev.plinth.testkit.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Starts servers on free ports, and on others when one of them was taken before the server came to
 * bind it.
 */
final class FreePortLauncher {
  private static final int ATTEMPTS = 4;

  /** Makes the nodes for the ports it gets, without starting them. */
  interface Plan {
    List<EngineNode> nodes(int[] ports) throws IOException;
  }

  private FreePortLauncher() {}

  static List<EngineNode> onFreePorts(int count, Plan plan) throws IOException {
    for (int attempt = 1; ; attempt++) {
      List<EngineNode> nodes = plan.nodes(Ports.free(count));
      try {
        EngineNode.startAll(nodes);
        return nodes;
      } catch (RuntimeException e) {
        nodes.forEach(EngineNode::close);
        boolean again = e instanceof StartFailedException failed && failed.portTaken();
        if (!again || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** The folder for one server's data and log. */
  static Path directory(String engine) throws IOException {
    return Files.createTempDirectory("plinth-" + engine + "-").toRealPath();
  }
}
