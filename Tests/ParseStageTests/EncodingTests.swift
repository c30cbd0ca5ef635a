// Other encodings: converted as a stream, wherever it is cut; bytes that are not text affect only their own row.

import Records
import TestSupport
import Testing

@testable import InputStages

@Suite struct EncodingTests {
  private static func options(_ encoding: String?, _ format: ParseOptions.Format = .csv) -> ParseOptions {
    var options = ParseOptions()
    options.format = format
    options.encoding = encoding
    return options
  }

  private static let text = "861,骚扰电话\n862,ab\n863,中\n"
  private static let expected = ["861|骚扰电话", "862|ab", "863|中"]

  private static func utf16(_ text: String, isLittle: Bool) -> [UInt8] {
    text.utf16.flatMap {
      isLittle ? [UInt8($0 & 0xFF), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 0xFF)]
    }
  }

  private static func utf32(_ text: String, isLittle: Bool) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar in
      let bytes = (0..<4).map { UInt8(scalar.value >> ($0 * 8) & 0xFF) }
      return isLittle ? bytes : bytes.reversed()
    }
  }

  private static func bytes(_ pieces: [Any]) -> [UInt8] {
    pieces.flatMap { ($0 as? String).map { Array($0.utf8) } ?? ($0 as? [Int] ?? []).map { UInt8($0) } }
  }

  /// The text above in some encodings. Source of the bytes: Python's codecs.
  private static func samples() -> [(String?, [UInt8])] {
    [
      (
        "GB18030",
        bytes([
          "861,", [0xC9, 0xA7, 0xC8, 0xC5, 0xB5, 0xE7, 0xBB, 0xB0], "\n862,ab\n863,", [0xD6, 0xD0], "\n",
        ])
      ),
      ("UTF-8", Array(text.utf8)), ("utf8", Array("\u{FEFF}\(text)".utf8)),
      (nil, Array("\u{FEFF}\(text)".utf8)),
      ("UTF-16LE", utf16(text, isLittle: true)), ("UTF-16BE", utf16(text, isLittle: false)),
      ("UTF-16LE", utf16("\u{FEFF}" + text, isLittle: true)),
      ("UTF-16", utf16("\u{FEFF}" + text, isLittle: false)),
      ("UTF-32LE", utf32(text, isLittle: true)),
      (nil, utf16("\u{FEFF}" + text, isLittle: true)), (nil, utf16("\u{FEFF}" + text, isLittle: false)),
      (nil, utf32("\u{FEFF}" + text, isLittle: true)), (nil, utf32("\u{FEFF}" + text, isLittle: false)),
    ]
  }

  @Test func encodingsAreConverted() throws {
    for (name, bytes) in Self.samples() {
      for format in [ParseOptions.Format.csv, .auto, .lines] {
        let outcome = try parseInPieces(bytes, Self.options(name, format), startBytes: 12)
        #expect(outcome.rows.map(\.description) == Self.expected, "\(name ?? "by its mark") as \(format)")
        #expect(outcome.rejects == [] && outcome.failure == nil)
      }
    }
    let korean = Self.bytes(["861,", [0xBD, 0xBA, 0xC6, 0xD4], "\n"])
    #expect(try parseInPieces(korean, Self.options("EUC-KR")).rows == [RawRow("861", "스팸")])
    let latin = Self.bytes(["861,d", [0xE9], "marchage\n"])
    #expect(try parseInPieces(latin, Self.options("ISO-8859-1")).rows == [RawRow("861", "démarchage")])
    let four = Self.bytes(["861,", [0x94, 0x39, 0xFC, 0x36], "\n"])
    #expect(try parseInPieces(four, Self.options("GB18030")).rows == [RawRow("861", "😀")])
    let json = Self.utf16("\u{FEFF}[{\"861\": \"骚扰\"}]", isLittle: true)
    #expect(try parseInPieces(json, ParseOptions()).rows == [RawRow("861", "骚扰")])
  }

  @Test func invalidBytesRejectOnlyTheirRow() throws {
    // A first byte without its second, at the end of a line and of the input.
    let broken = Self.bytes([
      "861,", [0xC9, 0xA7], "\n862,", [0x81], "\n863,", [0xFF], "x\n864,y\n865,", [0xD6],
    ])
    let outcome = try parseInPieces(broken, Self.options("GB18030"), startBytes: 8)
    #expect(outcome.rows == [RawRow("861", "骚"), RawRow("864", "y")])
    #expect(outcome.codes == ["invalid-utf8", "invalid-utf8", "invalid-utf8"] && outcome.lines == [2, 3, 5])
    var wide = Self.utf16("861,a\n862,", isLittle: true)
    wide +=
      [0x00, 0xD8] + Self.utf16("x\n863,", isLittle: true) + [0x00, 0xDC]
      + Self.utf16("\n864,z\n8", isLittle: true)
    wide += [0x36]
    let surrogates = try parseInPieces(wide, Self.options("UTF-16LE"), startBytes: 8)
    #expect(surrogates.rows == [RawRow("861", "a"), RawRow("864", "z")])
    #expect(surrogates.codes == ["invalid-utf8", "invalid-utf8", "invalid-utf8"])
  }

  @Test func unknownEncodings() throws {
    for name in ["no-such-encoding", "", "UTF-8//IGNORE", "GB18030//TRANSLIT"] {
      let failure = try parse("861\n", Self.options(name)).failure
      #expect(failure == .unknownEncoding(name))
      #expect(failure?.errorClass == .usage)
    }
    // Without a byte order mark, UTF-16 is not read, but recognised.
    let bare = Self.utf16(Self.text, isLittle: true)
    #expect(
      try parse([bare], ParseOptions()).failure
        == .unknownFormat(input: "in0", isBinary: true, encoding: "UTF-16LE"))
  }

  @Test func inputsInDifferentEncodings() throws {
    let documents = [
      Self.utf16("\u{FEFF}861,骚\n", isLittle: true), Array("862,扰\n".utf8),
      Self.utf16("\u{FEFF}863,电\n", isLittle: false), [], [0x38], Array("865,话".utf8),
    ]
    for cuts in staccato {
      let outcome = try parse(documents, Self.options(nil), cuts: cuts)
      #expect(outcome.rows.map(\.description) == ["861|骚", "862|扰", "863|电", "8|", "865|话"], "cut \(cuts)")
      #expect(outcome.bytesIn == UInt64(documents.reduce(0) { $0 + $1.count }))
    }
  }

  /// More than the converter outputs at once, cut anywhere: the rows of the same text in UTF-8.
  @Test func longTextsAreTheSameInEveryEncoding() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    var text = "\u{FEFF}"
    for _ in 0..<4000 {
      text +=
        "86\(random.below(1_000_000_000)),\(["骚扰电话", "é", "😀 x", "plain", "\"a, b\""][random.below(5)])\n"
    }
    let expected = try parse(text, Self.options(nil))
    #expect(expected.rows.count == 4000)
    for bytes in [
      Self.utf16(text, isLittle: true), Self.utf16(text, isLittle: false), Self.utf32(text, isLittle: true),
    ] {
      for cuts in [[], [65536], [1 + random.below(5000), 1 + random.below(100_000)], [4097]] {
        let outcome = try parse([bytes], Self.options(nil), cuts: cuts, heldStep: 1024)
        #expect(outcome.rows == expected.rows, "seed \(seed), cuts \(cuts)")
        #expect(outcome.rejects == [])
      }
    }
  }
}
