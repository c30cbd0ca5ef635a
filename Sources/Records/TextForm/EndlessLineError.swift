// A line that does not end: the input is not text, but a device such as /dev/zero, or a file of another kind.
//
// Not for: lines that are too long for a record, which are rejected (TextFormReject).

/// A line of the text form does not end within ``bytesMax``.
package struct EndlessLineError: ErrorCause, Equatable {
  /// The number of bytes after which a line is an error instead of a reject: 64 MiB.
  package static let bytesMax: UInt64 = 64 << 20

  /// The name of the list; nil if only one input is read.
  package var list: String?

  /// Makes an error.
  package init(list: String?) {
    self.list = list
  }

  /// Bad data.
  package var errorClass: ErrorClass { .badData }
}
