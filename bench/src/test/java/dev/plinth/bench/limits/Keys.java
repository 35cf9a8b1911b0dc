package dev.plinth.bench.limits;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Which keys callers ask for. */
enum Keys {
  HOT("one hot key", 1) {
    @Override
    int[] draws(int seed) {
      return new int[DRAWS];
    }
  },
  ZIPF("Zipf over 10,000 keys", 10_000) {
    @Override
    int[] draws(int seed) {
      double[] upTo = new double[count()];
      double sum = 0;
      for (int i = 0; i < upTo.length; i++) {
        sum += 1.0 / (i + 1);
        upTo[i] = sum;
      }
      SplittableRandom random = new SplittableRandom(seed);
      int[] draws = new int[DRAWS];
      for (int i = 0; i < DRAWS; i++) {
        int at = Arrays.binarySearch(upTo, random.nextDouble(sum));
        draws[i] = at < 0 ? -at - 1 : at;
      }
      return draws;
    }
  },
  UNIFORM("uniform over 100,000 keys", 100_000) {
    @Override
    int[] draws(int seed) {
      return new SplittableRandom(seed).ints(DRAWS, 0, count()).toArray();
    }
  };

  /** A power of two. A caller that has been through them begins anew. */
  static final int DRAWS = 1 << 16;

  private final String text;
  private final int count;

  Keys(String text, int count) {
    this.text = text;
    this.count = count;
  }

  int count() {
    return count;
  }

  /** One caller's keys, drawn before the clock runs. */
  abstract int[] draws(int seed);

  @Override
  public String toString() {
    return text;
  }
}
