// Property lists in the binary form: the same rows as from XML, and hostile lists.

import Foundation
import Records
import TestSupport
import Testing

@testable import InputStages

@Suite struct BinaryPropertyListTests {
  /// A list with objects of all kinds, in both forms, as Foundation writes them.
  private static func lists() throws -> (binary: [UInt8], xml: [UInt8]) {
    let entries: [[String: Any]] = [
      ["number": "+33 1 62 00 00 01", "title": "Démarchage", "category": "0"],
      ["number": 33_162_000_002, "title": "骚扰电话 😀", "more": ["number": "1", "x": [1, 2]]],
      ["number": 33_162_000_003.0, "title": String(repeating: "é", count: 20_000), "flag": true],
      ["number": "33162000004", "title": Date(timeIntervalSince1970: 1_732_147_199), "x": Data([1, 2])],
      ["title": "without a number"], ["number": ["1"]], ["number": -5, "title": true],
      ["number": "33162000005", "title": ""],
    ]
    let list: [String: Any] = ["version": 1, "list": entries, "33162000006": "pair"]
    func made(_ format: PropertyListSerialization.PropertyListFormat) throws -> [UInt8] {
      [UInt8](try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0))
    }
    return (try made(.binary), try made(.xml))
  }

  @Test func theRowsAreThoseOfTheXMLForm() throws {
    let (binary, xml) = try Self.lists()
    let changes: [(inout ParseOptions) -> Void] = [
      { _ in }, { $0.sourceField = .name("category") },
      { options in
        options.numberField = .name("title")
        options.labelField = .name("flag")
      },
    ]
    for change in changes {
      let expected = try parse([xml], options(.plist, change))
      let outcome = try parse([binary], options(.auto, change))
      // The order of a dictionary's keys is not defined.
      func sorted(_ rows: [RawRow]) -> [String] { rows.map(\.description).sorted() }
      #expect(sorted(outcome.rows) == sorted(expected.rows) && outcome.rows.count > 3)
      #expect(outcome.codes.sorted() == expected.codes.sorted() && !outcome.codes.isEmpty)
      #expect(outcome.failure == nil && expected.failure == nil)
      for cuts in [[1], [7], [100, 1], [4096]] {
        #expect(try parse([binary], options(.plist, change), cuts: cuts) == outcome, "\(cuts)")
      }
    }
    let twice = try parse([binary, xml, binary], options(.plist))
    let once = try parse([xml], options(.plist)).rows.count
    #expect(twice.rows.count == 3 * once && twice.failure == nil)
    let encoded = options(.auto) { $0.encoding = "ISO-8859-1" }
    #expect(try parse([binary], encoded).failure == .encodingOfBinary(.plist, input: "in0"))
  }

  // MARK: Lists made by hand

  /// A list of objects, each as its bytes; references and offsets have `width` bytes.
  private static func list(_ objects: [[UInt8]], width: Int = 1, offsetWidth: Int = 2) -> [UInt8] {
    func big(_ value: Int, _ width: Int) -> [UInt8] {
      (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var bytes = Array("bplist00".utf8)
    var table: [UInt8] = []
    for object in objects {
      table += big(bytes.count, offsetWidth)
      bytes += object
    }
    let start = bytes.count
    return bytes + table + [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(width)] + big(objects.count, 8)
      + big(0, 8) + big(start, 8)
  }

  private static func text(_ text: String) -> [UInt8] { [0x50 | UInt8(text.utf8.count)] + Array(text.utf8) }
  /// `[{"number": …}]`, whose number is the fourth object.
  private static func entry(_ number: [UInt8]) -> [[UInt8]] {
    [[0xA1, 1], [0xD1, 2, 3], text("number"), number]
  }

  @Test func numbersInAnyForm() throws {
    let forms: [([UInt8], String)] = [
      (Self.text("+15550100"), "+15550100"), ([0x12, 0x00, 0xED, 0x2D, 0x04], "15543556"),
      ([0x13, 0, 0, 0, 3, 0x36, 0x90, 0x20, 0x20], "13800316960"),
      ([0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0x36, 0x90, 0x20, 0x20], "13800316960"),
      ([0x23, 0x42, 0x09, 0xB4, 0x81, 0x01, 0, 0, 0], "13800316960"),
      ([0x5F, 0x10, 0x05] + Array("15550".utf8), "15550"), ([0x62, 0, 0x31, 0, 0x32], "12"),
    ]
    for (object, text) in forms {
      let outcome = try parse([Self.list(Self.entry(object))], options(.auto))
      #expect(outcome.rows == [RawRow(text, "")] && outcome.rejects == [], "\(text)")
    }
    let lone = try parse([Self.list(Self.entry([0x62, 0xD8, 0x3D, 0, 0x32]))], options(.auto))
    #expect(lone.rows == [] && lone.codes == ["invalid-utf8"])
    #expect(try parse([Self.list([[0xA0]])], options(.auto)).failure == nil)
  }

  @Test func listsAreNotJoined() throws {
    let list = Self.list(Self.entry(Self.text("+15550100")))
    for bytes in [list + list, list + [0x0A] + list] {
      let outcome = try parse([bytes], options(.auto))
      #expect(
        outcome.rows == []
          && outcome.failure == binaryPropertyList("has other data before or after it, such as another list"))
    }
  }

  @Test func hostileLists() throws {
    func failure(_ objects: [[UInt8]]) throws -> Failure? {
      try parse([Self.list(objects)], options(.plist)).failure
    }
    let bomb = binaryPropertyList("repeats its parts until they are far larger than the file")
    // A list in itself, and one that is too deep.
    #expect(try failure([[0xA1, 0]]) == bomb)
    let deep = (1...300).map { [0xA1, UInt8($0 >> 8), UInt8($0 & 0xFF)] } + [Self.text("a")]
    #expect(
      try parse([Self.list(deep, width: 2)], options(.plist)).failure
        == binaryPropertyList("is nested deeper than \(XMLLimits.depthMax) levels, or contains itself"))
    // Each array has the next one ten times.
    let levels = (1...30).map { level in [0xAA] + [UInt8](repeating: UInt8(level), count: 10) }
    #expect(try failure(levels + [Self.text("a")]) == bomb)
    // A long text that is used often.
    let long: [UInt8] = [0x5F, 0x12, 0, 1, 0, 0] + [UInt8](repeating: 0x61, count: 65_536)
    let many: [UInt8] = [0xAF, 0x11, 0x27, 0x10] + [UInt8](repeating: 1, count: 10_000)
    let bytes = Self.list([many, long], offsetWidth: 4)
    #expect(try parse([bytes], options(.plist)).failure == bomb)
    // 2^62 references, a text beyond the end, a reference to a missing object, a key that is an array, and a type that
    // does not exist.
    for object: [UInt8] in [
      [0xAF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0], [0x5F, 0x13, 0xFF, 0, 0, 0, 0, 0, 0, 0], [0x6F, 0x10, 200],
      [0xA1, 9], [0xD1, 0, 0], [0x70], [0x0F], [0x15], [0x24], [0x5F, 0x51, 0x31], [0xDF, 0x10, 200],
    ] {
      let message = try failure([object])?.message.message ?? ""
      #expect(message.hasPrefix("'in0' is a binary property list that is damaged at byte "), "\(object)")
    }
  }

  @Test func damageNeverCrashes() throws {
    let objects = Self.entry(Self.text("+15550100")) + [Self.text("unused")]
    let bytes = Self.list(objects)
    for index in bytes.indices {
      for change: UInt8 in [0x01, 0x80, 0xFF, 0x0F] {
        var damaged = bytes
        damaged[index] ^= change
        _ = try parse([damaged], options(.plist))
      }
      let cut = try parse([Array(bytes[..<index])], options(.plist))
      #expect(cut.failure != nil || index == 0, "\(index) bytes")
    }
    var random = SplitMix64(seed: UInt64.random(in: 0...UInt64.max))
    let sample = try Self.lists().binary
    for _ in 0..<fuzzTurns {
      var damaged = sample
      for _ in 0..<1 + random.below(4) {
        // The objects and the trailer, not the text of 20,000 letters.
        let index = random.below(2) == 0 ? random.below(300) : damaged.count - 1 - random.below(300)
        damaged[index] = UInt8(truncatingIfNeeded: random.next())
      }
      _ = try parse([damaged], options(.plist))
    }
  }
}

/// The failure of a binary property list in the first input.
func binaryPropertyList(_ text: String) -> Failure {
  .parse("binary-property-list", "'in0' is a binary property list that \(text)")
}
