// The parser for tables, comma or tab separated depending on the first byte, cut anywhere: see ParserRuns.

import FuzzDriver
import FuzzParsers

fuzz { input in
  // The bits below are ParserRuns'.
  let isTabbed = !input.isEmpty && input[0] & 16 != 0
  parse(input, as: isTabbed ? "tsv" : "csv")
}
