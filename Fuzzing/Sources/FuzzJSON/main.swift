// Fuzzes the JSON parser, strict and lenient, with and without named fields, with input cut anywhere: see ParserRuns.

import FuzzDriver
import FuzzParsers

fuzz { input in parse(input, as: "json") }
