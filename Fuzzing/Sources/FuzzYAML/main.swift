// Fuzzes the parser for YAML, with input cut anywhere: see ParserRuns. libyaml itself is not instrumented.

import FuzzDriver
import FuzzParsers

fuzz { input in parse(input, as: "yaml") }
