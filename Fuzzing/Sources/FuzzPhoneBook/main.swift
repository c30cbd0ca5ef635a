// Fuzzes the parser for XML phone books, with input cut anywhere: see ParserRuns. expat itself is not instrumented.

import FuzzDriver
import FuzzParsers

fuzz { input in parse(input, as: "phonebook") }
