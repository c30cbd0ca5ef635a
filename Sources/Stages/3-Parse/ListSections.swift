// Headings in plain lists: the numbers below one that names an allow list or exceptions are not those to block.
//
//     # Whitelist                  [allow]                const ALLOWED = [
//     2125550111 Mom               2125550111               "2125550111",
//     # Blacklist                  [block]                ];
//     2125550113 spam              2125550113
//
// What is below a message is its author's: the signature after `--`, and what follows `Mit freundlichen Grüßen`.

import Records
import SystemIO

/// A line without a number that is a heading of the numbers below it.
struct ListHeading: Equatable {
  enum Form: Equatable {
    case comment
    /// `[whitelist]`
    case section
    /// `whitelist:`
    case name
    /// `const whitelist = [`
    case bracket
    /// `];`
    case end
    case text
  }

  let form: Form
  let text: Range<Int>

  /// No heading is longer.
  private static let bytesMax = 128

  /// Examines a line; nil if it has a number, or is too long for a heading.
  init?(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
    let first = bytes.skippingSpace(from: start, to: end)
    let last = bytes.trimmedEnd(from: first, to: end)
    // Most lines begin with a number.
    guard first < last, bytes[first] &- 0x30 >= 10, !"+(".utf8.contains(bytes[first]),
      last - first <= Self.bytesMax,
      NumberText.contents(bytes, from: first, to: last).digits < NumberEnd.digitsMin
    else { return nil }
    text = first..<last
    form = Self.form(bytes, first, last)
  }

  private static func form(_ bytes: Span<UInt8>, _ first: Int, _ last: Int) -> Form {
    if "#;".utf8.contains(bytes[first]) || CommentMark.begins(bytes, at: first) { return .comment }
    if "]})".utf8.contains(bytes[first]) { return .end }
    if bytes[first] == UInt8(ascii: "["), bytes[last - 1] == UInt8(ascii: "]") { return .section }
    if "[{(".utf8.contains(bytes[last - 1]) { return .bracket }
    // The colon may be the one of Chinese and Japanese.
    return bytes[last - 1] == UInt8(ascii: ":")
      || bytes.startsIgnoringCase("\u{FF1A}", at: max(first, last - 3))
      ? .name : .text
  }
}

/// Whether a line of a plain list is in a section of numbers that are not blocked.
struct ListSection: Equatable {
  private(set) var isOfOthers = false
  /// Whether the last line is the delimiter of a signature, or a comment without a text.
  private(set) var mayBeSigned = false
  private var form = ListHeading.Form.comment
  /// The number of bytes before the heading in its line.
  private var indentation = 0

  init() {}

  /// The first line of a list that is all in one section below it: then it is the title of a list of exceptions from others,
  /// for `subtract`. Nil for other lists.
  ///
  /// - Complexity: O(bytes).
  static func title(_ bytes: Span<UInt8>) -> String? {
    var section = ListSection()
    var title: String?
    var at = 0
    while at < bytes.count {
      var end = at
      while end < bytes.count, bytes[end] != Byte.lineFeed { end += 1 }
      defer { at = end + 1 }
      let start = bytes.skippingSpace(from: at, to: end)
      if start == end { continue }
      if let heading = ListHeading(bytes, from: at, to: end) {
        section.note(heading, bytes, lineStart: at)
        if title == nil {
          title = TableField(start: heading.text.lowerBound, end: heading.text.upperBound).text(bytes)
        }
      }
      if !section.isOfOthers { return nil }
    }
    return title
  }

  /// Begins or ends a section at a heading.
  ///
  /// A comment that only explains something ends none: it has to name a block list. Other headings end those of their form.
  mutating func note(_ heading: ListHeading, _ bytes: Span<UInt8>, lineStart: Int) {
    let name = TableField(start: heading.text.lowerBound, end: heading.text.upperBound).text(bytes)
    let isSigned = mayBeSigned && heading.form == .text
    mayBeSigned = name == "--"
    if isSigned || heading.form == .text && CommonFieldNames.isClosing(name) {
      (isOfOthers, form) = (true, .text)
      return
    }
    switch CommonFieldNames.heading(name) {
    case .others:
      (isOfOthers, form, indentation) = (true, heading.form, heading.text.lowerBound - lineStart)
    case .blocked: isOfOthers = false
    case nil: if isOfOthers, ends(at: heading, heading.text.lowerBound - lineStart) { isOfOthers = false }
    }
  }

  /// Notes a line that is neither a heading nor blank.
  mutating func noteEntry() { mayBeSigned = false }

  private func ends(at heading: ListHeading, _ indentation: Int) -> Bool {
    switch heading.form {
    case .comment, .text: false
    case .section: true
    case .bracket: form != .name || indentation <= self.indentation
    case .name: form == .name && indentation <= self.indentation
    case .end: form == .bracket
    }
  }
}

/// A comparison of two versions of a list, as `diff -u` writes it: the lines that begin with a minus sign are removed.
enum ListComparison {
  /// Whether a text is one: some of its lines begin with a plus sign that does not belong to a number, or name the lines that
  /// follow, and some begin with a minus sign and a number.
  ///
  /// - Complexity: O(bytes).
  static func isIn(_ bytes: Span<UInt8>) -> Bool {
    var (hasAdded, hasRemoved) = (false, false)
    var at = 0
    while at + 2 < bytes.count, !(hasAdded && hasRemoved) {
      let (first, second) = (bytes[at], bytes[at + 1])
      if first == UInt8(ascii: "+") && "0+(".utf8.contains(second) || bytes.startsIgnoringCase("@@ ", at: at)
      {
        hasAdded = true
      }
      if first == UInt8(ascii: "-"), second &- 0x30 < 10 || "+(".utf8.contains(second) { hasRemoved = true }
      while at < bytes.count, bytes[at] != Byte.lineFeed { at += 1 }
      at += 1
    }
    return hasAdded && hasRemoved
  }
}
