package dev.plinth.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Fills its heap until it counts as full, lets go of everything, and waits until there is room. */
final class FullHeap {
  private static final int BLOCK = 16 << 10;
  private static final int BLOCKS_A_STEP = 256;
  private static final long PAUSE_MILLIS = 50;

  private FullHeap() {}

  public static void main(String[] args) throws InterruptedException {
    BooleanSupplier pressure = HeapPressure.ofThisProcess();
    List<byte[]> kept = new ArrayList<>();
    while (!pressure.getAsBoolean()) {
      for (int i = 0; i < BLOCKS_A_STEP; i++) {
        kept.add(new byte[BLOCK]);
      }
      System.gc(); // a full one, which tells what was left
      Thread.sleep(PAUSE_MILLIS);
    }
    System.out.println("full");
    kept.clear();
    while (pressure.getAsBoolean()) {
      Thread.sleep(PAUSE_MILLIS);
    }
    System.out.println("room");
  }
}
