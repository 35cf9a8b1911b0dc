package dev.plinth.simulation.kernel;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Which rare branches are taken, and how often they were. The seed draws for each place whether it
 * is common in this run.
 */
public final class Chances {
  private static final double[] RATES = {0, 0, 0.01, 0.05, 0.2};

  private static final class Place {
    final SplittableRandom random;
    final double rate;
    long asked;
    long taken;

    Place(SplittableRandom random) {
      this.random = random;
      this.rate = RATES[random.nextInt(RATES.length)];
    }
  }

  private final Seeds seeds;
  private final Map<String, Place> places = new TreeMap<>();
  private boolean enabled = true;

  Chances(Seeds seeds) {
    this.seeds = seeds;
  }

  /** From now on all or none. */
  public void enable(boolean on) {
    enabled = on;
  }

  boolean take(String name) {
    Place place = places.computeIfAbsent(name, each -> new Place(seeds.random("chance " + each)));
    place.asked++;
    boolean taken = enabled && place.random.nextDouble() < place.rate;
    place.taken += taken ? 1 : 0;
    return taken;
  }

  /** How often each place was taken. */
  public Map<String, Long> taken() {
    Map<String, Long> taken = new TreeMap<>();
    places.forEach((name, place) -> taken.put(name, place.taken));
    return taken;
  }
}
