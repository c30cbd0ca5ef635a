// The parser for JSON, strict and not, with fields by name and without, cut anywhere: see ParserRuns.

import FuzzDriver
import FuzzParsers

fuzz { input in parse(input, as: "json") }
