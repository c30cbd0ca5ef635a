// Fuzzes the readers of the packed form. The first byte selects records or raw rows, and how the rest is cut.
//
// Checksums are corrected first, so that the code after their check is tested.

import FuzzDriver

let runs = PackedRuns()

fuzz { input in runs.run(input) }
