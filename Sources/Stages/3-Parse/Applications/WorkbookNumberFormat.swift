// How a workbook shows whole numbers: `0000000000` shows 612345678 as 0612345678, `\+0` shows it as +612345678. A phone
// number is what a reader of the sheet sees.
//
// Formats with dates, fractions, percentages, exponents or scales are not applied: such a number is read as it is stored.
//
// Sources: ISO/IEC 29500-1, 18.8.30 and 18.8.31 (formats and their codes), 18.8.10 and 18.8.45 (the formats of cells).

import Records
import SystemIO

/// The format of whole numbers.
struct WorkbookNumberFormat {
  fileprivate enum Element {
    /// A digit; a missing one is shown as zero if it is required.
    case digit(isRequired: Bool)
    case text([UInt8])
  }

  fileprivate enum Comparison {
    case less, lessOrEqual, equal, notEqual, greaterOrEqual, greater

    init?(_ sign: String) {
      switch sign {
      case "<": self = .less
      case "<=": self = .lessOrEqual
      case "=": self = .equal
      case "<>": self = .notEqual
      case ">=": self = .greaterOrEqual
      case ">": self = .greater
      default: return nil
      }
    }

    func holds(_ first: UInt64, _ second: UInt64) -> Bool {
      switch self {
      case .less: first < second
      case .lessOrEqual: first <= second
      case .equal: first == second
      case .notEqual: first != second
      case .greaterOrEqual: first >= second
      case .greater: first > second
      }
    }
  }

  /// A part of a format, for some of the numbers.
  fileprivate struct Section {
    var condition: (comparison: Comparison, value: UInt64)?
    var elements: [Element] = []
    /// Whether numbers are read as they are stored.
    var isStored = false

    func holds(_ value: UInt64) -> Bool { condition.map { $0.comparison.holds(value, $0.value) } ?? true }
  }

  private var sections: [Section] = []

  /// The maximum size of a format, in bytes; Excel allows 255 characters.
  static let codeBytesMax = 1024
  /// The signs of a phone number. Other texts of a format are not a part of it.
  fileprivate static let signs = Array("+-()./ ".utf8)

  /// Reads a format; nil if it shows whole numbers as they are stored.
  init?(_ code: [UInt8]) {
    guard code.count <= Self.codeBytesMax else { return nil }
    var section = Section()
    var index = 0
    while index < code.count {
      index = Self.read(code, index, &section)
      if index < code.count, code[index] == UInt8(ascii: ";") {
        sections.append(section)
        section = Section()
        index += 1
      }
    }
    sections.append(section)
    guard sections.contains(where: { !$0.isStored && $0.changes }) else { return nil }
  }

  /// Reads the next element of a section; returns the index after it.
  private static func read(_ code: [UInt8], _ start: Int, _ section: inout Section) -> Int {
    switch code[start] {
    case UInt8(ascii: ";"): return start
    case UInt8(ascii: "0"): section.elements.append(.digit(isRequired: true))
    case UInt8(ascii: "#"), UInt8(ascii: "?"): section.elements.append(.digit(isRequired: false))
    case UInt8(ascii: "\\"), UInt8(ascii: "!"):
      section.add(code[min(start + 1, code.count)..<min(start + 2, code.count)])
      return start + 2
    // The width of a character, and one that fills the cell.
    case UInt8(ascii: "_"), UInt8(ascii: "*"): return start + 2
    case UInt8(ascii: "\""):
      let end = code[(start + 1)...].firstIndex(of: UInt8(ascii: "\"")) ?? code.count
      section.add(code[(start + 1)..<end])
      return end + 1
    case UInt8(ascii: "["):
      let end = code[start...].firstIndex(of: UInt8(ascii: "]")) ?? code.count
      section.addBracket(code[(start + 1)..<end])
      return end + 1
    // Grouped digits are the stored ones.
    case UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: "%"), UInt8(ascii: "/"), UInt8(ascii: "@"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      section.isStored = true
    default: section.add(code[start...start])
    }
    return start + 1
  }

  /// A whole number of these digits as it is shown; nil if it is read as it is stored.
  func shown(_ digits: Span<UInt8>) -> ContiguousArray<UInt8>? {
    guard let value = WorkbookText.integer(digits), let section = section(for: value), !section.isStored
    else {
      return nil
    }
    return section.shown(Array(String(value).utf8))
  }

  private func section(for value: UInt64) -> Section? {
    if sections.contains(where: { $0.condition != nil }) { return sections.first { $0.holds(value) } }
    // Positive numbers; negative numbers; zero.
    return value == 0 && sections.count > 2 ? sections[2] : sections[0]
  }
}

extension WorkbookNumberFormat.Section {
  /// Whether numbers are shown in another way than they are stored.
  fileprivate var changes: Bool {
    var count = 0
    for element in elements {
      switch element {
      case .digit(let isRequired): if isRequired { count += 1 }
      case .text: return true
      }
    }
    return count > 1
  }

  /// Adds a text, without what is not a part of a phone number. Digits in a word are not a part of it either.
  fileprivate mutating func add(_ text: ArraySlice<UInt8>) {
    let isNumber = text.allSatisfy { $0 &- 0x30 < 10 || WorkbookNumberFormat.signs.contains($0) }
    if isNumber, !text.isEmpty { elements.append(.text(Array(text))) }
  }

  /// Adds what is in square brackets: a condition, a currency's sign or any text with a language; not a color.
  fileprivate mutating func addBracket(_ text: ArraySlice<UInt8>) {
    if text.first == UInt8(ascii: "$") {
      return add(text.dropFirst().prefix { $0 != UInt8(ascii: "-") })
    }
    let sign = text.prefix { $0 >= UInt8(ascii: "<") && $0 <= UInt8(ascii: ">") }
    if let comparison = WorkbookNumberFormat.Comparison(String(decoding: sign, as: UTF8.self)) {
      let digits = Array(text.dropFirst(sign.count))
      guard let value = WorkbookText.integer(digits.span) else { return isStored = true }
      condition = (comparison, value)
    } else if let letter = text.first?.asciiCapital, text.allSatisfy({ $0.asciiCapital == letter }),
      "HMS".utf8.contains(letter)
    {
      // A number of hours, minutes or seconds.
      isStored = true
    }
  }

  fileprivate func shown(_ digits: [UInt8]) -> ContiguousArray<UInt8>? {
    let places = elements.count { if case .digit = $0 { true } else { false } }
    if places == 0 { return nil }
    var text: ContiguousArray<UInt8> = []
    var place = 0
    for element in elements {
      switch element {
      case .text(let bytes): text += bytes
      case .digit(let isRequired):
        // The first place shows all digits that are too many.
        let first = digits.count - places + place
        let shown = place == 0 ? digits[..<max(first + 1, 0)] : digits[max(first, 0)..<max(first + 1, 0)]
        text += shown.isEmpty && isRequired ? [UInt8(ascii: "0")] : shown
        place += 1
      }
    }
    return ContiguousArray(copying: text.span.trimmed)
  }
}

/// Reads the part with the formats, and finds the one of a cell by its style.
final class WorkbookStyles: XMLHandler {
  private var codes: [UInt64: WorkbookNumberFormat] = [:]
  /// The formats of cells by their styles; nil for numbers that are read as they are stored.
  private var styles: [WorkbookNumberFormat?] = []
  private var isInFormats = false
  private var isInCells = false

  /// The maximum number of styles of cells; Excel allows 65,490.
  private static let stylesMax = 65_536
  /// The maximum number of formats; Excel allows 250.
  private static let formatsMax = 4096

  /// Whether a style has a format.
  private(set) var hasFormats = false

  /// The format of a style, which is the text of an attribute; nil if it has none.
  func format(_ style: Span<UInt8>) -> WorkbookNumberFormat? {
    let index = style.isEmpty ? 0 : WorkbookText.integer(style) ?? .max
    return index < UInt64(styles.count) ? styles[Int(index)] : nil
  }

  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter
  ) throws(Failure) {
    let name = name.localName
    if name.equals("numFmts") {
      isInFormats = true
    } else if name.equals("cellXfs") {
      isInCells = true
    } else if isInFormats, name.equals("numFmt"), codes.count < Self.formatsMax {
      guard let number = WorkbookText.integer(attributes.value(of: "numFmtId").span) else { return }
      codes[number] = WorkbookNumberFormat(Array(attributes.value(of: "formatCode")))
    } else if isInCells, name.equals("xf"), styles.count < Self.stylesMax {
      // The built-in formats show whole numbers as they are stored, or are dates.
      let format = WorkbookText.integer(attributes.value(of: "numFmtId").span).flatMap { codes[$0] }
      styles.append(format)
      if format != nil { hasFormats = true }
    }
  }

  func end(
    _ name: Span<UInt8>, at place: () -> RecordPosition, into rows: inout RowWriter
  ) throws(Failure) {
    let name = name.localName
    if name.equals("numFmts") { isInFormats = false }
    if name.equals("cellXfs") { isInCells = false }
  }

  func text(_ bytes: Span<UInt8>) {}
  func unknownEntity() {}
}
