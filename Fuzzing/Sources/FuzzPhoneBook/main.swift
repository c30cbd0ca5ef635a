// Fuzzes the parsers for phone books and logs of calls in XML, depending on the first byte, with input cut anywhere: see
// ParserRuns. expat itself is not instrumented.

import FuzzDriver
import FuzzParsers

fuzz { input in
  // The lower bits are used by ParserRuns.
  let isCallLog = !input.isEmpty && input[0] & 16 != 0
  parse(input, as: isCallLog ? "calls" : "phonebook")
}
