// What a user can choose about parsing, as plain data.
//
// Not for: how the choices are typed (the command layer), or what a format looks like (one file a format).

/// Where a field of a raw row comes from.
public enum FieldSelector: Sendable, Equatable {
  /// The field of that name in each object.
  case name(String)
  /// The same text for every row.
  case constant(String)

  /// Reads a selector as it is typed: `=TEXT` is a constant, anything else a name.
  public init(_ typed: String) {
    self = typed.utf8.first == UInt8(ascii: "=") ? .constant(String(typed.dropFirst())) : .name(typed)
  }

  var isName: Bool {
    if case .name = self { true } else { false }
  }

  var constantBytes: ContiguousArray<UInt8>? {
    if case .constant(let text) = self { ContiguousArray(text.utf8) } else { nil }
  }

  var nameBytes: ContiguousArray<UInt8>? {
    if case .name(let text) = self { ContiguousArray(text.utf8) } else { nil }
  }
}

/// What a user can choose about parsing.
public struct ParseOptions: Sendable, Equatable {
  /// The shape of the input.
  public enum Format: String, Sendable, CaseIterable {
    /// Whatever the first bytes look like.
    case auto
    /// JSON in any layout, or something close to it.
    case json
  }

  /// The longest record in bytes unless told otherwise. A record is some dozens of bytes; a mebibyte leaves
  /// room for objects with long fields that nobody asked for, and bounds the buffer.
  public static let recordBytesUsual = 1024 * 1024

  /// The shape of the input.
  public var format: Format = .auto
  /// Where the number comes from; nil: the key of a pair.
  public var numberField: FieldSelector?
  /// Where the label comes from; nil: the value of a pair, or none if objects are rows.
  public var labelField: FieldSelector?
  /// Where the source comes from; nil: none.
  public var sourceField: FieldSelector?
  /// Where the score comes from; nil: none.
  public var scoreField: FieldSelector?
  /// The longest record in bytes; a longer one is rejected and skipped without being held.
  public var recordBytesMax = ParseOptions.recordBytesUsual
  /// Whether the input must be RFC 8259 JSON to the letter.
  public var isStrict = false

  /// Makes the usual options.
  public init() {}

  /// Whether an object is one row. It is as soon as one field is chosen by its name; otherwise each pair is.
  var rowsAreObjects: Bool {
    [numberField, labelField, sourceField, scoreField].contains { $0?.isName ?? false }
  }

  /// Checks that the choices fit together.
  ///
  /// Throws ``ParseFailure/noNumberField`` when objects are rows and nobody said which field is the number,
  /// and ``ParseFailure/badScoreConstant(_:)`` when a score for every row is not an integer.
  public func check() throws(ParseFailure) {
    if rowsAreObjects, numberField == nil { throw .noNumberField }
    if case .constant(let text) = scoreField, !text.isEmpty, Int64(text) == nil {
      throw .badScoreConstant(text)
    }
  }
}
