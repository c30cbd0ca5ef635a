// The valid stores that inputs modify.

import CallStoreFormat
import StoreWriting

enum Models {
  static func all() -> [[UInt8]] {
    return [
      store(90, ranges: 9) { _ in "one" },
      store(90, ranges: 0) { "l\($0 % 5)" },
      store(90, ranges: 7) { $0 % 11 == 0 ? "rare \($0 % 4)" : "common" },
      store(300, ranges: 40) { "l\($0 * $0 % 37)" },
      store(0, ranges: 0) { _ in "" },
      // The label table is full, so these labels are stored in the blocks: a distinct one per record, and some shared
      // by several.
      store(40, ranges: 0, before: StoreLimits.tableLabelsMax) { "own \($0)" },
      store(60, ranges: 5, before: StoreLimits.tableLabelsMax) { "own \($0 % 7)" },
      // Three blocks of a kind with a shared code, and labels that the code lacks.
      store(22_000, ranges: 0, isOneKind: true) { $0 % 4_000 == 3_999 ? "late \($0)" : "l\($0 % 3)" },
    ]
  }

  private static func store(
    _ count: Int, ranges: Int, before: Int = 0, isOneKind: Bool = false, _ label: (Int) -> String
  ) -> [UInt8] {
    var encoder = StoreEncoder()
    var bytes: [UInt8] = []
    func take(_ some: Span<UInt8>) { for index in 0..<some.count { bytes.append(some[index]) } }
    for index in 0..<(before + count) {
      let first = UInt64(index + 1) * 50
      let isRange = ranges > 0 && index % ranges == ranges - 1
      let text = ContiguousArray((index < before ? "t\(index)" : label(index - before)).utf8)
      do throws(StoreEncodingError) {
        try encoder.append(
          first: first, last: isRange ? first + 20 : first,
          kind: isOneKind || index % 4 > 0 ? .identification : .blocking, label: text.span)
      } catch {
        fatalError("a model is not a valid store: \(error)")
      }
      encoder.drain { take($0) }
    }
    _ = encoder.finish()
    encoder.drain { take($0) }
    return bytes
  }
}
