package dev.plinth.shards.store.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.testkit.Await;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class MemberConnectionTest {
  private final List<String> closed = new ArrayList<>();

  private static final Function<String, CompletableFuture<String>> ANSWERED =
      CompletableFuture::completedFuture;
  private static final Function<String, CompletableFuture<String>> SILENT =
      via -> CompletableFuture.failedFuture(Status.DEADLINE_EXCEEDED.asRuntimeException());

  private MemberConnection<String> connection() {
    return new MemberConnection<>(
        List.of("a", "b"),
        Duration.ofMillis(20),
        System::nanoTime,
        members -> members.get(0),
        closed::add);
  }

  @Test
  void oneThatAnswersNothing_isReplaced_whateverAnotherDoes() {
    MemberConnection<String> silent = connection();
    MemberConnection<String> lively = connection();
    String first = silent.current();
    Await.until(
        "the next member",
        () -> {
          lively.call(ANSWERED).join();
          silent.call(SILENT).exceptionally(thrown -> null).join();
          return !silent.current().equals(first);
        });
    assertEquals(List.of(first), closed);
    assertEquals("a", lively.current());
  }

  @Test
  void refusals_areAnswers() {
    MemberConnection<String> connection = connection();
    long end = System.nanoTime() + Duration.ofMillis(100).toNanos();
    while (System.nanoTime() < end) {
      connection
          .call(
              via ->
                  CompletableFuture.<String>failedFuture(
                      Status.INVALID_ARGUMENT.asRuntimeException()))
          .exceptionally(thrown -> null)
          .join();
    }
    assertEquals("a", connection.current());
    assertEquals(List.of(), closed);
  }

  @Test
  void callThatThrows_isAFailedAnswer() {
    CompletableFuture<String> answer =
        connection()
            .call(
                via -> {
                  throw new IllegalStateException("on purpose");
                });
    assertThrows(CompletionException.class, answer::join);
  }
}
