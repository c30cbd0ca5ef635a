// Text with styles, its width on a terminal, and tables of it. Colours are added when it is printed, after
// control characters were made printable, so that text from outside can't add its own.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// The style of a part of a text: what the part means. The raw value is the parameter of the terminal's control
/// sequence. Only the eight basic colours are used: a terminal's theme makes them readable.
public enum TextStyle: String, Sendable {
  /// The start of an error message.
  case error = "1;31"
  case warning = "1;33"
  /// The start of a hint.
  case hint = "36"
  /// The subject of what follows, such as a heading.
  case heading = "1"
  /// A name next to a value, and what matters less.
  case faint = "2"
  /// An addition, or an answer that is good.
  case added = "32"
  /// A removal, or an answer that is not.
  case removed = "31"
  case changed = "33"

  public var start: String { "\u{1B}[\(rawValue)m" }
  /// The control sequence that ends any style.
  public static let end = "\u{1B}[0m"
}

/// A text whose parts have styles.
///
///     let line: StyledText = "\("added", .added)  \(count) numbers"
public struct StyledText: Equatable, Sendable, ExpressibleByStringInterpolation {
  private struct Part: Equatable, Sendable {
    var text: String
    var style: TextStyle?
  }

  private var parts: [Part] = []

  public init(_ text: String, _ style: TextStyle? = nil) {
    parts = [Part(text: text, style: style)]
  }

  public init(stringLiteral text: String) { self.init(text) }

  public init(stringInterpolation: StringInterpolation) {
    parts = stringInterpolation.text.parts
  }

  public mutating func append(_ other: StyledText) { parts += other.parts }

  /// The text without styles.
  public var plain: String { text(isColoured: false) { $0 } }

  /// The text for a stream.
  ///
  /// - Parameters:
  ///   - isColoured: whether the stream shows colours.
  ///   - printable: replaces the control characters of a part.
  public func text(isColoured: Bool, printable: (String) -> String) -> String {
    parts.map { part in
      let text = printable(part.text)
      guard isColoured, let style = part.style, !text.isEmpty else { return text }
      return style.start + text + TextStyle.end
    }.joined()
  }

  /// Collects the parts of a string literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = StyledText("")

    public init(literalCapacity: Int, interpolationCount: Int) {
      text.parts = []
    }

    /// Appends a part of the literal, without a style.
    public mutating func appendLiteral(_ literal: String) { text.append(StyledText(literal)) }

    /// Appends a value, with a style or without.
    public mutating func appendInterpolation(
      _ value: some CustomStringConvertible, _ style: TextStyle? = nil
    ) {
      text.append(StyledText(value.description, style))
    }

    public mutating func appendInterpolation(_ other: StyledText) { text.append(other) }
  }
}

/// Measures text in terminal columns.
public enum DisplayWidth {
  /// The columns that one character fills: 0, 1 or 2.
  public static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .surrogate: return 0
    default: break
    }
    // The vowels and final consonants of a Hangul syllable are drawn in the columns of its first consonant.
    if (0x1160...0x11FF).contains(value) { return 0 }
    return isWide(value) ? 2 : 1
  }

  private static func isWide(_ value: UInt32) -> Bool {
    guard value >= wideRanges[0].lowerBound else { return false }
    var (low, high) = (0, wideRanges.count)
    while low < high {
      let middle = (low + high) / 2
      if wideRanges[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < wideRanges.count && wideRanges[low].contains(value)
  }

  /// The characters that are wide or full-width in EastAsianWidth.txt of Unicode 16, with the unassigned ones of their
  /// blocks. In the blocks of pictographs from U+1F300 on, the few narrow ones are counted as wide, as most terminals
  /// draw them.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
    0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F, 0x2693...0x2693, 0x26A1...0x26A1,
    0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA,
    0x26F2...0x26F3, 0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B,
    0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
    0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55, 0x2E80...0x303E,
    0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
    0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F265,
    0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F7E0...0x1F7F0, 0x1F90C...0x1F9FF, 0x1FA70...0x1FAFF,
    0x20000...0x3FFFD,
  ]
}

extension StringProtocol {
  /// The number of terminal columns that the text fills.
  public var displayWidth: Int { unicodeScalars.reduce(0) { $0 + DisplayWidth.of($1) } }
}

extension String {
  /// The text cut to a number of columns. A text that is cut ends in `…`.
  public func cut(toWidth width: Int) -> String {
    if displayWidth <= width { return self }
    if width < 1 { return "" }
    var cut = String.UnicodeScalarView()
    var used = 0
    for scalar in unicodeScalars {
      used += DisplayWidth.of(scalar)
      if used > width - 1 { break }
      cut.append(scalar)
    }
    return String(cut) + "…"
  }

  /// The text as lines of at most `width` characters, broken at its spaces. A longer word has a line of its own.
  public func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    for word in split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// Pads the text with spaces at its end to a width, with at least one space.
  public func padding(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(1, width - displayWidth))
  }

  /// Pads the text with spaces at its start to a width, with at least one space.
  public func paddingStart(to width: Int) -> String {
    String(repeating: " ", count: Swift.max(1, width - displayWidth)) + self
  }
}

public enum TextTable {
  /// A table with a header as lines: all columns but the last are padded to the width of their longest text. If a line
  /// is longer than `width`, each row becomes a paragraph that begins with its first text.
  public static func lines(_ rows: [[String]], width: Int?) -> String {
    let header = rows.first ?? []
    let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      zip(row, widths).dropLast().map { text, width in
        text + String(repeating: " ", count: width - text.count + 2)
      }.joined() + (row.last ?? "")
    }
    guard let width, lines.contains(where: { $0.count > width }) else {
      return lines.map { $0 + "\n" }.joined()
    }
    return rows.dropFirst().map { paragraph($0, header, width: width) }.joined(separator: "\n")
  }

  /// A row's first text, and its other texts with their column's name in indented lines.
  private static func paragraph(_ row: [String], _ header: [String], width: Int) -> String {
    let indent = "  "
    let texts = zip(header, row).dropFirst().filter { !$1.isEmpty }.map { "\($0): \($1)" }
    let lines = texts.flatMap { $0.wrapped(to: width - indent.count) }.map { indent + $0 }
    return ([row.first ?? ""] + lines).joined(separator: "\n") + "\n"
  }
}
