// The fields after a number: written, checked, parsed, every way in which bytes are not valid record fields;
// and the table of a batch, which stores each once.

import BasicContainers
import SystemIO
import TestSupport
import Testing

@testable import Records

@Suite("RecordFields", .seeded)
struct RecordFieldsTests {
  static func check(_ bytes: [UInt8]) -> Result<Int, RecordFieldsError> {
    do throws(RecordFieldsError) {
      return .success(try RecordFields.check(bytes.span))
    } catch {
      return .failure(error)
    }
  }

  // `#expect` copies the parts of its expression, which spans don't allow. So these two have arrays as parameters.
  static func fields(_ bytes: [UInt8]) -> RecordFields.Fields { RecordFields.fields(bytes.span) }
  static func labelLength(_ bytes: [UInt8]) -> Int { RecordFields.labelLength(bytes.span) }

  static func check(_ text: String) -> Result<Int, RecordFieldsError> { check(Array(text.utf8)) }

  @Test("fields are parsed from their bytes")
  func roundTrip() throws {
    var generator = SplitMix64(test: "recordFields")
    for _ in 0..<3000 {
      let fields = RecordFields.Fields(
        label: RandomText.any(&generator), source: RandomText.any(&generator),
        score: [nil, 0, -1, .min, .max, Int64(truncatingIfNeeded: generator.next())].randomElement(
          using: &generator) ?? nil,
        day: [nil, 0, -719_162, 20_421].randomElement(using: &generator)?.flatMap(CalendarDay.init(number:)))
      let bytes = RecordFields.bytes(fields)
      #expect(Self.check(bytes) == .success(bytes.count))
      #expect(Self.fields(bytes) == fields)
      let label = RecordFields.bytes(RecordFields.Fields(label: fields.label))
      #expect(Self.labelLength(bytes) == label.count)
      #expect(Array(bytes.prefix(label.count)) == label)
      #expect(!bytes.contains(UInt8(ascii: "\n")) && !bytes.contains(UInt8(ascii: "\r")))
    }
  }

  enum RandomText {
    static func any(_ generator: inout SplitMix64) -> String { RecordShape.text(&generator, most: 6) }
  }

  @Test("the bytes are those of the text form")
  func bytes() {
    func text(_ label: String, _ source: String = "", _ score: Int64? = nil) -> String {
      String(
        decoding: RecordFields.bytes(RecordFields.Fields(label: label, source: source, score: score)),
        as: UTF8.self)
    }
    #expect(text("") == "")
    #expect(text("骚扰电话") == "骚扰电话")
    #expect(text("démarchage", "arcep", 12) == "démarchage\tarcep\t12")
    #expect(text("", "arcep") == "\tarcep")
    #expect(text("", "", -3) == "\t\t-3")
    #expect(text("a\\b\tc\nd\re") == "a\\\\b\\tc\\nd\\re")
  }

  @Test(
    "every byte at every place of texts of all lengths", arguments: ["a", " ", "\u{7F}", "é", "骚", "😀"])
  func everyByte(filler: String) {
    for length in 0...18 {
      let text = Array(String(repeating: filler, count: length).utf8.prefix(length))
      #expect(Self.check(text) == Self.checkedByByte(text))
      for place in 0..<length {
        for byte in UInt8.min ... .max {
          var bytes = text
          bytes[place] = byte
          if Self.check(bytes) != Self.checkedByByte(bytes) { Issue.record("\(bytes)") }
        }
      }
    }
  }

  /// What `check` returns for bytes with at most one tab that is not at the end.
  private static func checkedByByte(_ bytes: [UInt8]) -> Result<Int, RecordFieldsError> {
    var rest = bytes[...]
    while rest.last == 0x09 { rest.removeLast() }
    let fields = rest
    while let byte = rest.popFirst() {
      if byte == 0x0D { return .failure(.strayCarriageReturn) }
      if byte == 0x5C {
        guard let next = rest.popFirst(), "\\tnr".utf8.contains(next) else { return .failure(.badEscape) }
      }
    }
    if String(validating: fields, as: UTF8.self) != nil { return .success(fields.count) }
    let label = fields.prefix { $0 != 0x09 }
    return .failure(String(validating: label, as: UTF8.self) == nil ? .notUTF8 : .sourceNotUTF8)
  }

  @Test("trailing empty fields are omitted")
  func canonicalLength() {
    #expect(Self.check("") == .success(0))
    #expect(Self.check("\t\t") == .success(0))
    #expect(Self.check("label\t\t") == .success(5))
    #expect(Self.check("label\tsource\t") == .success(12))
    #expect(Self.check("\t\t5") == .success(3))
    // More tabs than fields, but no text after them.
    #expect(Self.check("label\t\t\t\t\t") == .success(5))
  }

  @Test("every error is named")
  func defects() {
    #expect(
      Self.check([UInt8](repeating: 0x61, count: RecordFields.bytesMax)) == .success(RecordFields.bytesMax))
    #expect(
      Self.check([UInt8](repeating: 0x61, count: RecordFields.bytesMax + 1))
        == .failure(.tooLong(bytes: RecordFields.bytesMax + 1)))
    #expect(Self.check([0x61, 0xFF]) == .failure(.notUTF8))
    #expect(Self.check([0xE9, 0xAA]) == .failure(.notUTF8))
    #expect(Self.check([0x61, 0x09, 0xFF]) == .failure(.sourceNotUTF8))
    #expect(Self.check([0xFF, 0x09, 0xFF]) == .failure(.notUTF8))
    #expect(Self.check("a\\") == .failure(.badEscape))
    #expect(Self.check("a\\x") == .failure(.badEscape))
    #expect(Self.check("a\\\t") == .failure(.badEscape))
    #expect(Self.check("\\\\\\") == .failure(.badEscape))
    #expect(Self.check("a\tb\t1\t2026-11-29\tc") == .failure(.tooManyFields(5)))
    #expect(Self.check("\t\t\t\tx") == .failure(.tooManyFields(5)))
    #expect(Self.check("a\r") == .failure(.strayCarriageReturn))
    for score in [
      "x", "1.5", "1 ", " 1", "1e3", "９", "é", "--1", "-", "9223372036854775808", "\\t", "007", "+5", "-0",
    ] {
      #expect(Self.check("a\tb\t\(score)") == .failure(.badScore), "score '\(score)'")
    }
    for day in [
      "c", "2026-02-29", "2026-1-01", "2026-11-29Z", "0000-01-01", "2026-13-01", "2026/11/29", "+026-11-29",
    ] {
      #expect(Self.check("a\tb\t1\t\(day)") == .failure(.badDay), "day '\(day)'")
    }
    #expect(Self.check("\t\t\t2024-02-29") == .success(13))
    #expect(Self.check("a\tb\tx\t2024-02-29") == .failure(.badScore))
    for score in ["0", "-1", "9223372036854775807", "-9223372036854775808"] {
      #expect(Self.check("a\tb\t\(score)") == .success(4 + score.utf8.count), "score '\(score)'")
    }
  }

  @Test("no bytes cause a trap, and valid fields can be split and joined again")
  func hostile() {
    var generator = SplitMix64(test: "hostile recordFields")
    let alphabet: [UInt8] = [0x09, 0x5C, 0x74, 0x6E, 0x0D, 0x31, 0x2D, 0x61, 0xC3, 0xA9, 0xFF, 0x00]
    var passed = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      // Bytes that were not checked must not cause a trap either.
      let fields = Self.fields(bytes)
      guard case .success(let count) = Self.check(bytes) else { continue }
      passed += 1
      let again = RecordFields.bytes(fields)
      #expect(Self.check(again) == .success(again.count), "\(bytes)")
      #expect(Self.fields(Array(bytes.prefix(count))) == fields, "\(bytes)")
      #expect(Self.fields(again) == fields, "\(bytes)")
    }
    #expect(passed > 1000)
  }
}

@Suite("RecordFieldsTable", .seeded)
struct RecordFieldsTableTests {
  static func label(_ index: Int) -> [UInt8] { Array("label \(index)".utf8) }

  @Test("each value has one index, and its bytes")
  func interning() {
    var generator = SplitMix64(test: "interning")
    var table = RecordFieldsTable()
    // Twice, so that the second pass uses a table that was emptied.
    for count in [3, 2000, 63, 64, 65, 1] {
      var indices: [[UInt8]: Int] = [:]
      for _ in 0..<3 * count {
        let recordFields = Self.label(Int.random(in: 0..<count, using: &generator))
        expectEqual(table.index(of: recordFields.span), indices[recordFields])
        let index = table.intern(recordFields.span)
        if let known = indices[recordFields] {
          #expect(index == known)
        } else {
          #expect(index == indices.count)
          indices[recordFields] = index
        }
        expectEqual(table.index(of: recordFields.span), index)
      }
      expectEqual(table.count, indices.count)
      for (recordFields, index) in indices {
        expectEqual([UInt8](copying: table[index]), recordFields)
      }
      table.removeAll()
      expectEqual(table.count, 0)
      for recordFields in indices.keys {
        guard table.index(of: recordFields.span) != nil else { continue }
        Issue.record("an emptied table still has \(recordFields)")
      }
    }
  }

  @Test("empty and similar values are distinguished")
  func similar() {
    var table = RecordFieldsTable()
    let similar = [
      "", "a", "b", "ab", "abcdefg", "abcdefgh", "abcdefgi", "abcdefghi", "abcdefghj", "\0", "\0\0",
    ]
    for (index, text) in similar.enumerated() { expectEqual(table.intern(Array(text.utf8).span), index) }
    for (index, text) in similar.enumerated() { expectEqual(table.index(of: Array(text.utf8).span), index) }
  }

  @Test("a table that is full of entries, or of bytes, reports it and still finds its entries")
  func full() {
    var table = RecordFieldsTable()
    for index in 0..<RecordBatch.recordsMax { expectEqual(table.intern(Self.label(index).span), index) }
    expectEqual(table.intern(Self.label(RecordBatch.recordsMax).span), nil)
    expectEqual(table.index(of: Self.label(RecordBatch.recordsMax).span), nil)
    expectEqual(table.intern(Self.label(17).span), 17)
    table.removeAll()

    let long = [UInt8](repeating: 0x61, count: RecordFields.bytesMax)
    let other = [UInt8](repeating: 0x62, count: RecordFields.bytesMax)
    expectEqual(table.intern(long.span), 0)
    expectEqual(table.intern(other.span), 1)
    expectEqual(table.intern([0x63].span), nil)
    expectEqual(table.intern([UInt8]().span), 2)
    expectEqual(table.intern(other.span), 1)
    table.removeAll()
    expectEqual(table.intern([0x63].span), 0)
  }

  @Test("values with the same slot are all found, and all cleared")
  func collisions() {
    // Texts with the same slot, so near the end that their chain continues at the beginning.
    let hash = SeededHash()
    var colliding: [[UInt8]] = []
    var candidate = 0
    while colliding.count < 24 {
      let text = Self.label(candidate)
      candidate += 1
      if RecordFieldsTable.firstSlot(hash.of(text.span)) == RecordFieldsTable.slotCount - 2 {
        colliding.append(text)
      }
    }
    var table = RecordFieldsTable()
    for _ in 0..<2 {
      for (index, text) in colliding.enumerated() { expectEqual(table.intern(text.span), index) }
      for (index, text) in colliding.enumerated() { expectEqual(table.index(of: text.span), index) }
      table.removeAll()
      for text in colliding { expectEqual(table.index(of: text.span), nil) }
    }
  }

  @Test("after thousands of new values in a row, not all are searched for, and all keep their bytes", .seeded)
  func unsearched() throws {
    var generator = SplitMix64(test: "unsearched")
    var table = RecordFieldsTable()
    var next = 0
    /// Interns one more value, in an emptied table if the table is full.
    func intern(_ index: Int) -> Int {
      if let place = table.intern(Self.label(index).span) { return place }
      table.removeAll()
      return table.intern(Self.label(index).span)!
    }
    while next <= RecordFieldsTable.consecutiveNewMax {
      _ = intern(next)
      next += 1
    }
    table.removeAll()
    var places: [Int] = []
    for index in 0..<100 { places.append(intern(next + index / 2)) }
    expectEqual(places, Array(0..<100), "equal neighbours were not searched for")
    for index in places { expectEqual([UInt8](copying: table[index]), Self.label(next + index / 2)) }
    // Few slots are in use now, but not all of the table's values have one.
    table.removeAll()
    expectEqual(table.count, 0)

    // Where values repeat, a search soon finds one, and then all are searched for again.
    for _ in 0..<400 { _ = intern(Int.random(in: 0..<3, using: &generator)) }
    table.removeAll()
    for _ in 0..<400 { _ = intern(Int.random(in: 0..<3, using: &generator)) }
    expectEqual(table.count, 3)
  }

  @Test("values that differ in one byte are different, at every length up to three words")
  func oneByte() {
    for count in 1...25 {
      var table = RecordFieldsTable()
      let label = [UInt8](repeating: 0x61, count: count)
      expectEqual(table.intern(label.span), 0, "\(count) bytes")
      for place in 0..<count {
        var other = label
        other[place] = 0x62
        expectEqual(table.index(of: other.span), nil, "byte \(place) of \(count)")
        expectTrue(!table.isEqual(0, other.span), "byte \(place) of \(count)")
      }
      expectEqual(table.index(of: label.span), 0, "\(count) bytes")
    }
  }
}

@Suite("Days")
struct CalendarDayTests {
  private static func day(_ text: String) -> CalendarDay? {
    let bytes = Array(text.utf8)
    return CalendarDay(bytes.span)
  }

  @Test("every day of the calendar follows the one before")
  func days() throws {
    var (year, month, dayOfMonth) = (1, 1, 1)
    for number in -719_162...2_932_896 {
      let day = try #require(CalendarDay(number: number))
      if day.parts != (year, month, dayOfMonth)
        || CalendarDay(year: year, month: month, day: dayOfMonth) != day
      {
        Issue.record("\(number): \(day.text)")
        return
      }
      dayOfMonth += 1
      if dayOfMonth > CalendarDay.length(ofMonth: month, in: year) { (dayOfMonth, month) = (1, month + 1) }
      if month > 12 { (month, year) = (1, year + 1) }
    }
    #expect(year == 10_000)
    #expect(CalendarDay(number: -719_163) == nil && CalendarDay(number: 2_932_897) == nil)
  }

  @Test("a day is read in one form only")
  func text() {
    #expect(Self.day("1970-01-01")?.number == 0)
    #expect(Self.day("2038-01-20")?.number == 24_856)
    #expect(Self.day("0004-02-29")?.text == "0004-02-29")
    #expect(Self.day("2000-02-29") != nil && Self.day("1900-02-29") == nil)
    for text in [
      "", "1970-01-1", "1970-1-001", "1970-00-10", "1970-01-00", "1970-04-31", "19700101", "１970-01-01",
    ] {
      #expect(Self.day(text) == nil, "\(text)")
    }
  }
}

@Suite("SeededHash", .seeded)
struct SeededHashTests {
  /// The keys of 0.1.0, which were the same in every process.
  static let known = SeededHash(keys: 0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F)
  /// The number of labels that are made to collide.
  static let labelsCount = 16

  /// Labels of a length whose hashes under known keys have the same upper bits: those that determine a slot.
  static func colliding(_ count: Int, _ generator: inout SplitMix64) -> [[UInt8]] {
    var slot: Int?
    var labels: Set<[UInt8]> = []
    while labels.count < labelsCount {
      let label = (0..<count).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }
      let own = RecordFieldsTable.firstSlot(known.of(label.span))
      if own == slot ?? own {
        slot = own
        labels.insert(label)
      }
    }
    return Array(labels)
  }

  @Test("labels chosen to collide under known keys are spread", arguments: [4, 7, 8, 12, 16, 17, 40])
  func spread(count: Int) {
    var generator = SplitMix64(test: "spread \(count)")
    let labels = Self.colliding(count, &generator)
    let hash = SeededHash()
    let slots = Set(labels.map { RecordFieldsTable.firstSlot(hash.of($0.span)) })
    // By chance, two of them share a slot once in 70 times.
    #expect(slots.count > Self.labelsCount / 2)
    // Other tables use the lower bits, too.
    #expect(Set(labels.map { hash.of($0.span) & 0x1FFF }).count > Self.labelsCount / 2)
  }

  @Test("a factor can't be made zero")
  func noZeroFactor() {
    // With a known second key, these last eight bytes would make the product 0, whatever the first bytes are.
    let word: UInt64 = 0xC2B2_AE3D_27D4_EB4F ^ 16
    let zero = (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
    let labels = (0..<16).map { [UInt8](repeating: 0x41 + UInt8($0), count: 8) + zero }
    #expect(Set(labels.map { Self.known.of($0.span) }) == [0])
    let hash = SeededHash()
    #expect(Set(labels.map { hash.of($0.span) }).count > 8)
  }

  @Test("the hash depends on every byte and on the length, at every length up to three words")
  func everyByte() {
    let hash = SeededHash(keys: 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3211)
    var seen: Set<UInt32> = [hash.of([UInt8]().span)]
    for count in 1...25 {
      let label = [UInt8](repeating: 0x61, count: count)
      #expect(seen.insert(hash.of(label.span)).inserted, "\(count) bytes")
      for place in 0..<count {
        var other = label
        other[place] = 0x62
        #expect(hash.of(other.span) != hash.of(label.span), "byte \(place) of \(count)")
      }
    }
  }
}
