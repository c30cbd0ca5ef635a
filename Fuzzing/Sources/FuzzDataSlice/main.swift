// Fuzzes the reader of data slices, with input cut anywhere: see ParserRuns.

import FuzzDriver
import FuzzParsers

fuzz { input in parse(input, as: "yacb") }
