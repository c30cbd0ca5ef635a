// Writes stores and deltas to files, for the tests of their readers.

import CallDeltaReader
import CallStoreFormat
import CallStoreReader
import Records
package import StoreWriting
import SystemIO
package import TestSupport

package enum StoreFiles {
  /// Writes a store of ascending records. Records with `!` in their label are blocked.
  package static func write(_ records: [TestRecord], to path: String) throws {
    var encoder = StoreEncoder()
    var file = try OutputFile(path)
    for record in records {
      let label = ContiguousArray(record.recordFields)
      try encoder.append(
        first: record.first, last: record.last,
        kind: isBlocking(record) ? .blocking : .identification, label: label.span)
      if encoder.isDrainDue {
        try encoder.drain { (bytes) throws(SystemError) in try file.write(bytes) }
      }
    }
    _ = encoder.finish()
    try encoder.drain { (bytes) throws(SystemError) in try file.write(bytes) }
    try file.publish(durably: false)
  }

  /// Whether a record is blocked: its label contains `!`.
  package static func isBlocking(_ record: TestRecord) -> Bool {
    record.recordFields.contains(UInt8(ascii: "!"))
  }

  /// The bytes of a store with deltas applied, as `cdpipe apply` makes it.
  package static func applying(
    _ deltas: [String], to store: String, in place: TemporaryDirectory
  ) throws -> [UInt8]? {
    var path = store
    for (index, delta) in deltas.enumerated() {
      let result = place / "applied-\(index % 2)"
      var file = try OutputFile(result)
      _ = try DeltaApplication.apply(
        CallDelta(path: delta), at: delta, to: CallStore(path: path), at: path, into: &file)
      try file.publish(durably: false)
      path = result
    }
    return PlainFile.read(path)
  }

  /// Writes the deltas from one store of a directory to another, named `1.cddelta` and so on.
  package static func makeDeltas(
    in place: TemporaryDirectory, from: String, to: String, entriesMax: UInt64, firstStep: Int = 1
  ) throws -> [DeltaSummary] {
    let old = try CallStore(path: place / from)
    let new = try CallStore(path: place / to)
    var maker = try DeltaMaker(
      from: old, at: from, to: new, at: to, entriesMax: entriesMax)
    var summaries: [DeltaSummary] = []
    for step in 0..<maker.steps {
      var file = try OutputFile(place / "\(firstStep + step).cddelta")
      summaries.append(try maker.writeNext(from: old, to: new, into: &file))
      try file.publish(durably: false)
    }
    return summaries
  }
}
