package dev.plinth.server.call;

/**
 * Memory that the current call keeps on the server beyond its messages, such as a snapshot that its
 * reader has not taken. It counts with the bytes of its connection ({@link ConnectionBytes}), and
 * is given back when the call ends.
 */
public interface CallMemory {
  /** For calls that do not come over the network. */
  CallMemory UNCOUNTED =
      new CallMemory() {
        @Override
        public boolean hold(long bytes) {
          return true;
        }

        @Override
        public void release(long bytes) {}
      };

  /** That of the call in whose context this thread runs. */
  static CallMemory ofCurrentCall() {
    return ConnectionBytes.ofCurrentCall();
  }

  /** False if there is no room for it, or the call has ended; the call is then refused. */
  boolean hold(long bytes);

  void release(long bytes);
}
