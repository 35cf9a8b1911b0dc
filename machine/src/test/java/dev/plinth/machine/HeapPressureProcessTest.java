package dev.plinth.machine;

import dev.plinth.testkit.JavaProcess;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that was full and does nothing since: the JVM itself has no reason to collect. */
class HeapPressureProcessTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseParallelGC"})
  void K14_heapThatIsEmptyAgain_isNoticed(String collector) {
    try (JavaProcess process =
        JavaProcess.start(directory, List.of("-Xmx48m", collector), FullHeap.class)) {
      process.awaitLine("full");
      process.awaitLine("room");
    }
  }
}
