package dev.plinth.standalone.uniqueness;

/** All ids of a namespace that anybody was given. For any number of threads. */
interface Seen {
  /** False if it was there. */
  boolean add(long id);

  long count();
}
