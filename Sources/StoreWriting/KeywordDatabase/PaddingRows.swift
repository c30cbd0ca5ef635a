// Rows for shards that have none: PIRProcessDatabase writes nothing for an empty file, and a service without that shard does
// not start.
//
// The keywords begin with +999, a country calling code that is not assigned, so that no phone asks for them. Source: ITU-T,
// List of Recommendation E.164 assigned country codes (999: reserved).

package import BasicContainers
import Synchronization

/// Makes rows for shards of a database.
package final class PaddingRows: Sendable {
  /// The reserved numbers.
  private static let reserved: ClosedRange<UInt64> = 999_000_000_000_000...999_999_999_999_999

  private let use: LookupUse
  private let function: ShardFunction
  /// The first reserved number of each shard, once one is needed.
  private let numbers = Mutex<[UInt64]>([])

  /// Prepares rows for a database.
  package init(_ use: LookupUse, _ function: ShardFunction) {
    self.use = use
    self.function = function
  }

  /// Appends the row of a shard: an identity without a name, or a number that is not blocked.
  ///
  /// - Complexity: the first one O(n log n) with n shards, on average.
  package func append(rowOf index: Int, to bytes: inout UniqueArray<UInt8>) {
    let number = numbers.withLock { numbers in
      if numbers.isEmpty { numbers = find() }
      return numbers[index]
    }
    let valueField = KeywordRow.field(value: use == .block ? [BlockValue.allowed] : [])
    KeywordRow.append(Keyword(number), valueField: valueField.span, to: &bytes)
  }

  private func find() -> [UInt64] {
    var found = [UInt64](repeating: 0, count: function.shards)
    var missing = function.shards
    for number in Self.reserved {
      let index = function.index(Keyword(number).hash)
      if found[index] != 0 { continue }
      found[index] = number
      missing -= 1
      if missing == 0 { break }
    }
    return found
  }

  /// Whether a row is one of these: its number is reserved.
  package static func isPadding(_ number: UInt64) -> Bool { reserved.contains(number) }
}

/// The values of block databases. Source: apple/pir-service-example, ConstructDatabase.
package enum BlockValue {
  /// The number is blocked.
  package static let blocked: UInt8 = 1
  /// The number is not blocked.
  package static let allowed: UInt8 = 0
}
