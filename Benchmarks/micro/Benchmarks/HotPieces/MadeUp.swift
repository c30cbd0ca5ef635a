// Generated numbers for the benchmarks, the same in every run.

import CallStoreFormat
import CallStoreReader
import StoreWriting
import SystemIO

enum MadeUp {
  /// Chinese mobile numbers in random order, with their calling code (xorshift64, G. Marsaglia 2003).
  static func numbers(_ count: Int) -> [UInt64] {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return (0..<count).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return 8_613_000_000_000 + state % 7_000_000_000
    }
  }

  /// The same numbers in ascending order, without duplicates.
  static func ascending(_ count: Int) -> [UInt64] { Array(Set(numbers(count))).sorted() }

  /// Numbers as people write them.
  static func forms(_ count: Int) -> [[UInt8]] {
    numbers(count).enumerated().map { index, number in
      let national = number % 100_000_000_000
      switch index % 4 {
      case 0: return Array("+\(number)".utf8)
      case 1: return Array("0086 \(national)".utf8)
      case 2:
        return Array("\(national / 100_000_000)-\(national / 10_000 % 10_000)-\(national % 10_000)".utf8)
      default: return Array("\(number)".utf8)
      }
    }
  }

  /// Rows like `{"8613…": "label 3"},`.
  static func json(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in numbers(count) { bytes += "{\"\(number)\": \"label \(number % 5)\"},\n".utf8 }
    return bytes
  }

  /// A store with one of five labels for each number.
  static func store(_ numbers: [UInt64]) throws -> [UInt8] {
    var encoder = StoreEncoder()
    let labels = (0..<5).map { Array("label \($0)".utf8) }
    var bytes: [UInt8] = []
    func take(_ span: Span<UInt8>) { for index in 0..<span.count { bytes.append(span[index]) } }
    for number in numbers {
      let label = labels[Int(number % 5)]
      try encoder.append(first: number, last: number, kind: .identification, label: label.span)
      if encoder.isDrainDue { encoder.drain(take) }
    }
    _ = encoder.finish()
    encoder.drain(take)
    return bytes
  }

  /// The same store, opened from an unnamed file.
  static func opened(_ numbers: [UInt64]) throws -> CallStore {
    var file = try TemporaryFile(in: "/tmp", calls: KernelCalls())
    let bytes = try store(numbers)
    var start = 0
    while start < bytes.count {
      var chunk = ByteChunk()
      let end = min(start + chunk.freeCapacity, bytes.count)
      chunk.append(bytes.span.extracting(start..<end))
      try file.append(chunk)
      start = end
    }
    return try CallStore(descriptor: file.descriptor.rawValue)
  }
}
