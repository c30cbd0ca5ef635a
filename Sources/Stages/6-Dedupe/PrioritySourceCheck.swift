// A check for sources that the priority list names but no record has.

import Records

/// Collects which of the sources in a priority list occur.
final class PrioritySourceCheck {
  private var names: [String]
  private var missingBytes: [[UInt8]]

  init(_ names: [String]) {
    self.names = names
    missingBytes = names.map { RecordFields.bytes(RecordFields.Fields(label: $0)) }
  }

  /// The sources that no record had so far.
  var missing: [String] { names }

  /// Checks a batch's record fields, until all sources have occurred.
  func observe(_ table: borrowing RecordFieldsTable) {
    guard !missingBytes.isEmpty else { return }
    for index in 0..<table.count {
      let source = KeepPolicy.source(table[index])
      guard !source.isEmpty, let found = missingBytes.firstIndex(of: source) else { continue }
      missingBytes.remove(at: found)
      names.remove(at: found)
      if missingBytes.isEmpty { return }
    }
  }
}
