// Fuzzes the store reader: see StoreRuns. The first byte selects how the rest becomes a store.
//
// Checksums are corrected first, so that the code after their check is tested.

import FuzzDriver

let runs = StoreRuns()

fuzz { input in runs.run(input) }
