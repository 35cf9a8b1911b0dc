package dev.plinth.client.internal;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * A set for several threads that keeps the order of additions. In a set that goes by hashes of
 * identities, what is done for each element would come in another order in every run.
 */
public final class OrderedSet<T> {
  private final Collection<T> elements = new LinkedHashSet<>();

  public synchronized void add(T element) {
    elements.add(element);
  }

  public synchronized void remove(T element) {
    elements.remove(element);
  }

  /** The elements as they are now. */
  public synchronized List<T> copy() {
    return List.copyOf(elements);
  }
}
