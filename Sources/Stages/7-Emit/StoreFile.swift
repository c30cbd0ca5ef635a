// One store on its way to its file: encoded, written, verified, put in place.

import CallRecord
import CallStoreFormat
import CallStoreReader
import CallStoreWriter
import PipeStage
import SystemIO
import SystemPackage

/// A store that is being written.
struct StoreFile: ~Copyable {
  private var encoder: StoreEncoder
  private var file: OutputFile

  init(_ path: String, clearsUp: Bool = true, calls: any SystemCalls) throws(PipeFailure) {
    file = try asPipeFailure(.emit) { () throws(SystemFailure) in
      try OutputFile(path, clearsUp: clearsUp, calls: calls)
    }
    encoder = StoreEncoder()
  }

  mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>, at index: Int,
    _ names: inout StoreNames,
    row: UInt64
  ) throws(PipeFailure) {
    do throws(StoreEncodingError) {
      try encoder.append(first: first, last: last, kind: kind, label: label, at: index, &names)
    } catch {
      throw PipeFailure(.emit, EmitFailure.notForStore(error, row: row))
    }
    if encoder.isDrainDue { try drain() }
  }

  /// Appends a record whose label has no place in a batch.
  mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>, row: UInt64
  ) throws(PipeFailure) {
    do throws(StoreEncodingError) {
      try encoder.append(first: first, last: last, kind: kind, label: label)
    } catch {
      throw PipeFailure(.emit, EmitFailure.notForStore(error, row: row))
    }
    if encoder.isDrainDue { try drain() }
  }

  /// Appends single numbers whose labels have names; returns how many it took before one that needs more.
  mutating func append(numbers: Span<UInt64>, labels: Span<UInt32>, _ names: inout StoreNames) -> Int {
    encoder.append(numbers: numbers, labels: labels, &names)
  }

  /// Appends single numbers of which some labels may have no names yet; returns how many it took before one that needs
  /// more, or that the method above can take.
  mutating func append(
    numbers: Span<UInt64>, labels: Span<UInt32>, in texts: borrowing LabelTexts, _ names: inout StoreNames
  ) -> Int {
    encoder.append(numbers: numbers, labels: labels, in: texts, &names)
  }

  /// The file's descriptor, to read a sealed store back. It stays owned by this value.
  var descriptor: Int32 { file.descriptor.rawValue }

  /// Ends the store.
  mutating func seal() throws(PipeFailure) -> StoreSummary {
    let summary: StoreSummary
    do throws(StoreEncodingError) {
      summary = try encoder.finish()
    } catch {
      throw PipeFailure(.emit, EmitFailure.notForStore(error, row: 0))
    }
    try drain()
    return summary
  }

  /// Reads a sealed store back and checks all of it. What was written in place can't be read back, or has more in it.
  func verify() throws(PipeFailure) {
    guard file.isNew else { return }
    do throws(StoreVerificationError) {
      try StoreVerification.verify(descriptor: file.descriptor.rawValue)
    } catch {
      throw PipeFailure(.emit, EmitFailure.notSound(error, path: file.path))
    }
  }

  /// Puts a sealed store in place, under a name that was not known at the beginning, if given.
  consuming func publish(as name: String? = nil) throws(PipeFailure) {
    do throws(SystemFailure) {
      try file.publish(as: name)
    } catch {
      throw PipeFailure(.emit, error)
    }
  }

  private mutating func drain() throws(PipeFailure) {
    try Self.drain(&encoder, into: &file)
  }

  private static func drain(_ encoder: inout StoreEncoder, into file: inout OutputFile) throws(PipeFailure) {
    do throws(SystemFailure) {
      try encoder.drain { (bytes) throws(SystemFailure) in try file.write(bytes) }
    } catch {
      throw PipeFailure(.emit, error)
    }
  }
}
