// Stores, read in every way: see StoreRuns. The first byte says how the rest becomes a store.
//
// Checksums are made right first, so that what is behind them is under test and not the checksums.

import FuzzDriver

let runs = StoreRuns()

fuzz { input in runs.run(input) }
