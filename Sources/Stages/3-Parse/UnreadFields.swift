// Parts of an input that may belong to its rows and are not read: they are reported, because a label or a number would
// be lost without a word.
//
// Not for: the sentences (UserMessages).

/// A part of an input that is not read.
enum UnreadFields: Sendable, Equatable {
  /// Fields that may have the last numbers of ranges.
  case lastNumbers([String])
  /// Fields with other phone numbers of the same rows.
  case numbers([String])
  /// Fields with text outside of the objects that are rows, in an object around their list.
  case outer([String])
  /// All elements of an array but the one that was chosen by its position; `rest` is the chosen path inside the element.
  case elements(of: String, rest: String)
  /// The keys of lists of numbers.
  case keys([String])
  /// The first lines of a table, before its header.
  case lines(Int)
}
