// Fuzzes the parser for tables, separated by commas or tabs depending on the first byte, with input cut anywhere: see
// ParserRuns.

import FuzzDriver
import FuzzParsers

fuzz { input in
  // The lower bits are used by ParserRuns.
  let isTabbed = !input.isEmpty && input[0] & 16 != 0
  parse(input, as: isTabbed ? "tsv" : "csv")
}
