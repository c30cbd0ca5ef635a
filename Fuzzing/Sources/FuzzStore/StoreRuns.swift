// Reads an input as a store, in every way that the reader supports.

import CallStoreFormat
import CallStoreReader
import FuzzDriver

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct StoreRuns {
  /// The file that each input is written to, because a store is mapped from a file.
  private let descriptor = unsafe Self.makeFile()
  /// The stores that inputs modify: all label modes, with and without ranges, both kinds of entries.
  private let models = Models.all()

  /// Creates a store from an input and reads it.
  func run(_ input: Span<UInt8>) {
    guard !input.isEmpty else { return }
    var bytes = store(from: input)
    Mending.mend(&bytes)
    write(bytes)
    guard let store = try? CallStore(descriptor: descriptor) else { return }
    let isValid = (try? store.verify()) != nil
    Self.walk(store, isValid: isValid)
    Self.lookUp(store, isValid: isValid, input)
  }

  /// Creates the store's bytes. If the first byte is at most 127, it selects a model, and every four following bytes
  /// are a change: three for the offset, one for the value. Otherwise the rest of the input is the store.
  private func store(from input: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    if input[0] >= 128 {
      for index in 1..<input.count { bytes.append(input[index]) }
      return bytes
    }
    bytes = models[Int(input[0]) % models.count]
    var at = 1
    while at + 4 <= input.count {
      let place = Int(input[at]) | Int(input[at + 1]) << 8 | Int(input[at + 2]) << 16
      bytes[place % bytes.count] = input[at + 3]
      at += 4
    }
    return bytes
  }

  /// Reads every record and some entries, for both kinds together and each kind alone.
  private static func walk(_ store: borrowing CallStore, isValid: Bool) {
    var batch = StoreBatch(capacity: 300)
    for kind in [nil, StoreKind.blocking, .identification] {
      var cursor = StoreCursor(store, kind: kind)
      var previous: UInt64 = 0
      var records: UInt64 = 0
      var isWhole = true
      while true {
        guard let more = try? cursor.nextRecords(of: store, into: &batch) else {
          isWhole = false
          break
        }
        if !more { break }
        for index in 0..<batch.count {
          claim(!isValid || batch.firsts[index] > previous, "records of a valid store ascend")
          claim(!isValid || batch.lasts[index] >= batch.firsts[index], "a range has its ends in order")
          claim(
            store.bytes(of: batch.labels[index]).byteCount <= StoreLimits.labelBytesMax, "labels have a limit"
          )
          previous = batch.lasts[index]
        }
        records += UInt64(batch.count)
      }
      claim(!isValid || isWhole, "a valid store is read to its end")
      let counted =
        kind.map { store.recordCount(of: $0) }
        ?? StoreKind.allCases.reduce(0) { $0 + store.recordCount(of: $1) }
      claim(!isValid || records == counted, "a valid store has as many records as it states")
      var entries = StoreCursor(store, kind: kind)
      // Ranges of a hostile store can be long; a few batches are enough.
      for _ in 0..<8 { guard (try? entries.nextEntries(of: store, into: &batch)) == true else { break } }
    }
  }

  /// Looks up the numbers at the ends of records, and some numbers from the input.
  private static func lookUp(_ store: borrowing CallStore, isValid: Bool, _ input: Span<UInt8>) {
    var batch = StoreBatch(capacity: 64)
    var cursor = StoreCursor(store)
    if (try? cursor.nextRecords(of: store, into: &batch)) == true {
      for index in 0..<batch.count {
        for number in [batch.firsts[index], batch.lasts[index]] {
          let found = try? store.record(of: number)
          claim(!isValid || found?.first == batch.firsts[index], "a record of a valid store is found")
          claim(!isValid || found?.last == batch.lasts[index], "it is found whole")
          claim(!isValid || found?.label == batch.labels[index], "it is found with its label")
        }
      }
    }
    for number in [0, 1, 1_000, 77_777, UInt64.max] { _ = try? store.record(of: number) }
    var number: UInt64 = 0
    for index in 0..<min(input.count, 24) {
      number = number << 8 | UInt64(input[index])
      _ = try? store.record(of: number & 0xFFFF_FFFF_FFFF)
    }
  }

  /// Creates the unnamed file.
  @unsafe
  private static func makeFile() -> Int32 {
    var template = ContiguousArray("/tmp/fuzz-store-XXXXXX".utf8CString)
    let descriptor = unsafe template.withUnsafeMutableBufferPointer {
      unsafe mkstemp($0.baseAddress.unsafelyUnwrapped)
    }
    unsafe template.withUnsafeBufferPointer { _ = unsafe unlink($0.baseAddress.unsafelyUnwrapped) }
    claim(descriptor >= 0, "there is a file to write to")
    return descriptor
  }

  private func write(_ bytes: [UInt8]) {
    ftruncate(descriptor, 0)
    let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    claim(written == bytes.count, "the file is written")
  }
}
