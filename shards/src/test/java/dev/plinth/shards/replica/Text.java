package dev.plinth.shards.replica;

import java.util.List;

/** A value that remembers what it was made of; its version is that of the last part. */
record Text(List<Long> parts) {
  long version() {
    return parts.get(parts.size() - 1);
  }
}
