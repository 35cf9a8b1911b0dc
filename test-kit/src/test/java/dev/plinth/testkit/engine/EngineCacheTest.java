package dev.plinth.testkit.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineCacheTest {
  @TempDir Path temp;

  @Test
  void folder_askedByTwoThreadsAtOnce_isFetchedOnce() throws Exception {
    AtomicInteger fetches = new AtomicInteger();
    CyclicBarrier together = new CyclicBarrier(2);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    List<Future<Path>> folders = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      folders.add(
          threads.submit(
              () -> {
                together.await();
                return new EngineCache(temp)
                    .directory("tool", directory -> fetches.incrementAndGet());
              }));
    }
    for (Future<Path> directory : folders) {
      assertEquals(temp.resolve("tool"), directory.get(30, TimeUnit.SECONDS));
    }
    threads.shutdown();
    assertEquals(1, fetches.get());
  }

  @Test
  void folder_askedByTwoJvmsAtOnce_isFetchedOnce() throws Exception {
    List<Process> children = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      children.add(ChildJvm.start(Fetches.class, temp, temp.toString()));
    }
    for (Process child : children) {
      assertEquals("ready", child.inputReader().readLine());
    }
    for (Process child : children) {
      child.outputWriter().append("go\n").flush();
    }
    int fetched = 0;
    for (Process child : children) {
      fetched += Integer.parseInt(child.inputReader().readLine());
      assertEquals(0, child.waitFor());
    }
    assertEquals(1, fetched);
  }

  @Test
  void folder_afterAFetchThatWasKilled_isFetchedAfresh() throws Exception {
    Files.writeString(Files.createDirectory(temp.resolve("tool.part")).resolve("half"), "of it");
    Path directory =
        new EngineCache(temp).directory("tool", part -> Files.writeString(part.resolve("a"), ""));
    assertEquals(List.of(directory.resolve("a")), list(directory));
  }

  @Test
  void folder_afterAFetchThatFailed_isNotTakenForDone() throws Exception {
    EngineCache engineCache = new EngineCache(temp);
    EngineCache.Fetch failing =
        part -> {
          Files.writeString(part.resolve("half"), "of it");
          throw new IOException("the line broke");
        };
    assertThrows(IOException.class, () -> engineCache.directory("tool", failing));
    Path directory =
        engineCache.directory("tool", part -> Files.writeString(part.resolve("a"), ""));
    assertEquals(List.of(directory.resolve("a")), list(directory));
  }

  private static List<Path> list(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return files.toList();
    }
  }

  /** Fetches at a word from its parent and prints how often it had to. */
  static final class Fetches {
    public static void main(String[] args) throws Exception {
      System.out.println("ready");
      System.in.read();
      AtomicInteger fetches = new AtomicInteger();
      new EngineCache(Path.of(args[0])).directory("tool", directory -> fetches.incrementAndGet());
      System.out.println(fetches);
    }
  }
}
