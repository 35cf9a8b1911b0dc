package dev.plinth.simulation.cluster;

import dev.plinth.simulation.kernel.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Which node claimed which shard when, and when its rows were loaded, on the world's clock. Clients
 * cannot know it; faults that aim and checks of what a takeover promises can.
 */
public final class Takeovers {
  /** One claim that succeeded. */
  public static final class Takeover {
    private final int shard;
    private final String node;
    private final long asked;
    private final long claimed;
    private long loaded = Long.MAX_VALUE;

    Takeover(int shard, String node, long asked, long claimed) {
      this.shard = shard;
      this.node = node;
      this.asked = asked;
      this.claimed = claimed;
    }

    public int shard() {
      return shard;
    }

    public String node() {
      return node;
    }

    /** When the claim was asked for: it was made no earlier. */
    public long asked() {
      return asked;
    }

    /** When its answer was there: it was made no later. */
    public long claimed() {
      return claimed;
    }

    /** When all rows were there: nothing was decided earlier. */
    public Optional<Long> loaded() {
      return loaded == Long.MAX_VALUE ? Optional.empty() : Optional.of(loaded);
    }

    void loadedAt(long time) {
      loaded = time;
    }
  }

  private final Simulation simulation;
  private final List<Takeover> all = new ArrayList<>();
  private final List<Consumer<Takeover>> listeners = new ArrayList<>();

  public Takeovers(Simulation simulation) {
    this.simulation = simulation;
  }

  /** The same stores, whose claims are seen here. */
  public StoreFactory observing(StoreFactory stores) {
    return (machine, registry) ->
        new ObservedShardStore(
            stores.open(machine, registry), machine.process().name(), this, simulation::now);
  }

  Takeover claimed(int shard, String node, long asked) {
    Takeover takeover = new Takeover(shard, node, asked, simulation.now());
    all.add(takeover);
    List.copyOf(listeners).forEach(listener -> listener.accept(takeover));
    return takeover;
  }

  public List<Takeover> all() {
    return List.copyOf(all);
  }

  /** The last one of a shard. */
  public Optional<Takeover> last(int shard) {
    for (int i = all.size() - 1; i >= 0; i--) {
      if (all.get(i).shard() == shard) {
        return Optional.of(all.get(i));
      }
    }
    return Optional.empty();
  }

  /** Whether any shard was claimed within a time. */
  public boolean isAnyWithin(long from, long to) {
    return all.stream().anyMatch(each -> each.asked() <= to && each.loaded().orElse(to) >= from);
  }

  /** Hears of each claim as it succeeds. */
  public void listen(Consumer<Takeover> listener) {
    listeners.add(listener);
  }
}
