// Fuzzes the parser for property lists in the binary form, with input cut anywhere: see ParserRuns. The signature is
// added, so that every input is read as such a list.

import FuzzDriver
import FuzzParsers

/// The bytes that are choices: see ParserRuns.
let choices = 3

fuzz { input in
  guard input.count >= choices else { return }
  var bytes: [UInt8] = []
  for index in 0..<choices { bytes.append(input[index]) }
  bytes += Array("bplist00".utf8)
  for index in choices..<input.count { bytes.append(input[index]) }
  parse(bytes.span, as: "plist")
}
