package dev.plinth.simulation.plant;

/** The code that a plant changes is no longer what it was: the plant has to be written anew. */
public final class StalePlantException extends RuntimeException {
  private static final long serialVersionUID = 1;

  StalePlantException(String message) {
    super(message);
  }
}
