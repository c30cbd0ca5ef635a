// The Range header field. Source: RFC 9110, section 14. Not for sending bytes (ListRequest).

/// The part of a file that a request asks for.
package enum ByteRange: Equatable, Sendable {
  /// The whole file: the field is missing, invalid, or requests several ranges.
  case whole
  /// A range of bytes.
  case part(Range<Int>)
  /// A range outside the file.
  case unsatisfiable

  /// Parses the field.
  ///
  /// - Parameter size: the file's size in bytes.
  package init(_ field: String?, size: Int) {
    let unit = "bytes="
    guard let field, field.utf8.count <= 64, field.lowercased().hasPrefix(unit) else {
      self = .whole
      return
    }
    let ends = field.dropFirst(unit.count).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else {
      self = .whole
      return
    }
    switch (Self.bound(ends[0]), Self.bound(ends[1])) {
    case (.number(let first), .number(let last)) where first <= last:
      self = first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
    case (.number(let first), .none):
      self = first < size ? .part(first..<size) : .unsatisfiable
    case (.none, .number(let suffix)):
      self = suffix > 0 && size > 0 ? .part(max(size - suffix, 0)..<size) : .unsatisfiable
    default: self = .whole
    }
  }

  private enum RangeBound {
    case none
    case number(Int)
    case other
  }

  private static func bound(_ text: Substring) -> RangeBound {
    let trimmed = text.drop { $0 == " " }
    if trimmed.isEmpty { return .none }
    guard trimmed.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return .other }
    // A number too large for Int is past the end of every file.
    return .number(Int(trimmed) ?? .max)
  }
}
