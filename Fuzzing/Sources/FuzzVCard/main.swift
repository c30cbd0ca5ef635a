// Fuzzes the parser for vCards, with input cut anywhere: see ParserRuns.

import FuzzDriver
import FuzzParsers

fuzz { input in parse(input, as: "vcard") }
