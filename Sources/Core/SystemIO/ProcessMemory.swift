// How the process keeps memory, so that what it used is not held for later.

import CMalloc

/// The process's memory.
public enum ProcessMemory {
  /// From now on large blocks go back to the system when they are freed. Call it before the first of them.
  public static func returnLargeBlocks() {
    cdp_return_large_blocks()
  }
}
