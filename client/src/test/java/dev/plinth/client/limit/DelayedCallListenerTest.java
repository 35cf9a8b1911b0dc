package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.ServerCall;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** What gRPC tells of a call, before its handler begins, while it does, and after. */
class DelayedCallListenerTest {
  private final List<String> told = new ArrayList<>();
  private final List<Runnable> threads = new ArrayList<>();
  private final Executor later = threads::add;
  private final DelayedCallListener<String> held = new DelayedCallListener<>(new NoCall(told));

  @Test
  void whatCameBefore_isTold_onceInOrder_thenWhatComes() {
    held.onReady();
    held.onMessage("one");
    held.onMessage("two");
    held.onHalfClose();
    begin();
    assertEquals(List.of(), told);
    threads.get(0).run();
    List<String> before = List.of("begun", "ready", "one", "two", "half-closed");
    assertEquals(before, told);
    held.onComplete();
    assertEquals("complete", told.get(before.size()));
    assertEquals(before.size() + 1, told.size());
  }

  @Test
  void cancelledBefore_neverBegins() {
    held.onCancel();
    begin();
    threads.get(0).run();
    assertEquals(List.of("gone"), told);
  }

  @Test
  void cancelledBetweenDecisionAndThread_neverBegins() {
    begin();
    held.onCancel();
    threads.get(0).run();
    assertEquals(List.of("gone"), told);
  }

  @Test
  void cancelledAfter_isTold() {
    begin();
    threads.get(0).run();
    held.onCancel();
    assertEquals(List.of("begun", "cancelled"), told);
  }

  /** A handler that is busy hears of the rest when it is done, on its own thread. */
  @Test
  void whatComesWhileItIsTold_waits() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    held.onMessage("slow");
    held.begin(
        later,
        () ->
            new Listener() {
              @Override
              public void onMessage(String message) {
                busy.countDown();
                await(free);
                super.onMessage(message);
              }
            },
        () -> {});
    Thread handler = new Thread(threads.get(0));
    handler.start();
    busy.await();
    held.onHalfClose();
    held.onCancel();
    assertEquals(List.of(), told);
    free.countDown();
    handler.join();
    assertEquals(List.of("slow", "half-closed", "cancelled"), told);
  }

  @Test
  void handlerThatFails_isToldOfTheEndAllTheSame() {
    held.onMessage("bad");
    held.begin(
        later,
        () ->
            new Listener() {
              @Override
              public void onMessage(String message) {
                throw new IllegalStateException(message);
              }
            },
        () -> {});
    threads.get(0).run();
    assertEquals(List.of("closed UNKNOWN"), told);
    held.onComplete();
    assertEquals(List.of("closed UNKNOWN", "complete"), told);
  }

  private void begin() {
    held.begin(
        later,
        () -> {
          told.add("begun");
          return new Listener();
        },
        () -> told.add("gone"));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private class Listener extends ServerCall.Listener<String> {
    @Override
    public void onMessage(String message) {
      told.add(message);
    }

    @Override
    public void onHalfClose() {
      told.add("half-closed");
    }

    @Override
    public void onCancel() {
      told.add("cancelled");
    }

    @Override
    public void onComplete() {
      told.add("complete");
    }

    @Override
    public void onReady() {
      told.add("ready");
    }
  }
}
