// The parser for vCards, cut anywhere: see ParserRuns.

import FuzzDriver
import FuzzParsers

fuzz { input in parse(input, as: "vcard") }
