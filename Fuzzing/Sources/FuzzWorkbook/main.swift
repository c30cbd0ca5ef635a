// Fuzzes the parser for workbooks, with input cut anywhere: see ParserRuns. The fourth byte chooses the part that the
// input replaces in a small workbook, whose checksums are right; or the input is the archive itself.
//
// expat and libzip are not instrumented.

import FuzzDriver
import FuzzParsers

/// The bytes that are choices: three of ParserRuns, and the part.
let choices = 4

/// The parts of the workbook that is changed.
let parts: [(name: String, text: String)] = [
  (
    "xl/worksheets/sheet1.xml",
    "<worksheet><sheetData><row><c t=\"s\"><v>0</v></c></row><row><c><v>13800138000</v></c></row></sheetData></worksheet>"
  ), ("xl/sharedStrings.xml", "<sst><si><t>n</t></si></sst>"),
  ("xl/workbook.xml", "<workbook><sheets><sheet name=\"a\" id=\"r1\"/></sheets></workbook>"),
  (
    "xl/_rels/workbook.xml.rels",
    "<Relationships><Relationship Id=\"r1\" Type=\"t/worksheet\" Target=\"worksheets/sheet1.xml\"/>"
      + "<Relationship Id=\"r2\" Type=\"t/sharedStrings\" Target=\"sharedStrings.xml\"/></Relationships>"
  ),
]

func append(_ value: UInt32, _ width: UInt32, to bytes: inout [UInt8]) {
  for index in 0..<width { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
}

func checksum(_ bytes: [UInt8]) -> UInt32 {
  var value: UInt32 = 0xFFFF_FFFF
  for byte in bytes {
    value ^= UInt32(byte)
    for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
  }
  return ~value
}

/// A zip archive of members that are not compressed.
func archive(_ members: [(name: String, data: [UInt8])]) -> [UInt8] {
  var bytes: [UInt8] = []
  var directory: [UInt8] = []
  for (name, data) in members {
    var fields: [UInt8] = []
    for (value, width) in [(20, 2), (0, 4), (0, 4), (checksum(data), 4)] as [(UInt32, UInt32)] {
      append(value, width, to: &fields)
    }
    for _ in 0..<2 { append(UInt32(data.count), 4, to: &fields) }
    append(UInt32(name.utf8.count), 4, to: &fields)
    append(0x0201_4B50, 4, to: &directory)
    append(20, 2, to: &directory)
    directory += fields
    for _ in 0..<5 { append(0, 2, to: &directory) }
    append(UInt32(bytes.count), 4, to: &directory)
    directory += Array(name.utf8)
    append(0x0403_4B50, 4, to: &bytes)
    bytes += fields + Array(name.utf8) + data
  }
  let start = UInt32(bytes.count)
  let count = UInt32(members.count)
  bytes += directory
  append(0x0605_4B50, 4, to: &bytes)
  append(0, 4, to: &bytes)
  append(count << 16 | count, 4, to: &bytes)
  append(UInt32(directory.count), 4, to: &bytes)
  append(start, 4, to: &bytes)
  append(0, 2, to: &bytes)
  return bytes
}

fuzz { input in
  guard input.count >= choices else { return }
  var bytes: [UInt8] = []
  for index in 0..<choices - 1 { bytes.append(input[index]) }
  var data: [UInt8] = []
  for index in choices..<input.count { data.append(input[index]) }
  let chosen = Int(input[choices - 1]) % (parts.count + 1)
  if chosen == parts.count {
    bytes += data
  } else {
    bytes += archive(
      parts.enumerated().map { index, part in (part.name, index == chosen ? data : Array(part.text.utf8)) })
  }
  parse(bytes.span, as: "xlsx")
}
