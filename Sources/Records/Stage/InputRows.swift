// Which rows of a source come from which of its files.

import Synchronization

/// The files of a source and their first rows, which the stage that reads the files records. Usable from any thread.
package final class InputRows: Sendable {
  private struct Input {
    var firstRow: UInt64
    var name: String
  }
  private let inputs = Mutex<[Input]>([])

  /// Creates an empty list.
  package init() {}

  /// Records that an input follows, whose rows start at `row` of the source; the first is 1.
  package func begin(_ name: String, at row: UInt64) {
    inputs.withLock { $0.append(Input(firstRow: row, name: name)) }
  }

  /// Returns the input that a row of the source comes from, and the row's number in it. Rows before the first recorded
  /// input belong to `first`.
  ///
  /// - Complexity: O(log inputs).
  package func location(of row: UInt64, first: String) -> (input: String, row: UInt64) {
    inputs.withLock { inputs in
      var (low, high) = (0, inputs.count)
      while low < high {
        let middle = (low + high) / 2
        if inputs[middle].firstRow <= row { low = middle + 1 } else { high = middle }
      }
      guard low > 0 else { return (first, row) }
      return (inputs[low - 1].name, row - inputs[low - 1].firstRow + 1)
    }
  }
}
