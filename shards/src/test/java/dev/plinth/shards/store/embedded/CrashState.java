package dev.plinth.shards.store.embedded;

/**
 * A folder that a crash or a damage may leave.
 *
 * @param acknowledged what must be there
 * @param sent what may be there
 */
record CrashState(
    Kind kind,
    String what,
    FolderImage folder,
    CommitHistory.Position acknowledged,
    CommitHistory.Position sent) {
  /** How it came about. */
  enum Kind {
    /** The log ends at any byte behind what was synced. */
    TORN_LOG(true),
    /** Behind what was synced, the log has what was never written. */
    GARBLED_TAIL(false),
    /** Of files that were written, created or deleted since the last sync, any part is there. */
    UNSYNCED_FILES(true),
    /** In the middle of a start: a new manifest, and CURRENT names it or not. */
    UNSYNCED_START(true),
    /** COMMITTED is not synced: any former state of any of its lines. */
    OLD_MARKS(true),
    FLIPPED_BIT(false),
    ZEROED_BYTES(false),
    CUT_FILE(false),
    MISSING_FILE(false),
    SWAPPED_FILES(false),
    DAMAGED_MARKS(false);

    private final boolean isLawful;

    Kind(boolean isLawful) {
      this.isLawful = isLawful;
    }

    /** Whether a machine that works may leave it: then the store must open. */
    boolean isLawful() {
      return isLawful;
    }
  }
}
